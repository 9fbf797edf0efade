import { readYaml } from "@haft/config/internal/document";
import { getErrorMessage } from "@haft/core";
import { createPolicy } from "@haft/policy";
import { existsSync, readdirSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { getAgent } from "../agents/agents.ts";
import { guardTools } from "../decide/judge.ts";
import { guardError } from "../errors.ts";
import { readAgentSettings } from "../install/settings-file.ts";
import { importClaude } from "./claude.ts";
import { importCodex } from "./codex.ts";
import { importGemini } from "./gemini.ts";
import type { Importable } from "./importable.ts";
import { importOpencode } from "./opencode.ts";
import type { PolicyDraft } from "./policy-draft.ts";

/** Contains the draft. */
export interface ImportResult {
  files: readonly string[];
  draft: PolicyDraft;
  text: string;
}

/**
 * Returns the rules in the settings of an agent as a draft of a policy. It changes nothing.
 *
 * @param named Absolute path of a settings file. Default: the settings of the user.
 * @throws HaftError `POLICY_UNREADABLE`
 * @example
 * ```ts
 * import { homedir } from "node:os";
 * import { importRules } from "@haft/guard/internal/agents";
 * const { files, text } = await importRules("claude", undefined, { home: homedir(), env: process.env });
 * console.log(`# From ${files.join(", ")}\n${text}`);
 * ```
 */
export async function importRules(
  agent: Importable,
  named: string | undefined,
  { home, env }: { home: string; env: Readonly<Record<string, string | undefined>> },
): Promise<ImportResult> {
  const files =
    named === undefined ? defaultFiles(agent, home, env).filter((file) => existsSync(file)) : [named];
  if (files.length === 0)
    throw unreadable(
      `${defaultFiles(agent, home, env)[0]} does not exist, so ${agent} has no rules to import`,
    );
  const texts = files.map((file) => {
    const { text } = read(file);
    if (text === undefined) throw unreadable(`${file} does not exist`);
    return { file, text };
  });
  const draft = drafted(agent, texts);
  const text = draft.text([
    `Rules of ${agent} from ${files.join(" and ")}. Created by haft policy import ${agent}.`,
    "Check them with haft policy check --guard FILE. The agent decides about all other calls.",
  ]);
  const again = await readYaml(text);
  if ("problems" in again) throw new Error(`the created policy is invalid: ${again.problems[0]?.message}`);
  createPolicy(again.value as object, { tools: guardTools(getAgent(agent)), partial: true });
  return { files, draft, text };
}

function drafted(agent: Importable, texts: readonly { file: string; text: string }[]): PolicyDraft {
  const [{ file, text }] = texts as [{ file: string; text: string }];
  try {
    switch (agent) {
      case "claude":
        return importClaude(text, file);
      case "codex":
        return importCodex(texts);
      case "gemini":
        return importGemini(texts);
      case "opencode":
        return importOpencode(text, file);
    }
  } catch (thrown) {
    const why = getErrorMessage(thrown);
    throw unreadable(why.includes(file) ? why : `${file} cannot be read: ${why}`);
  }
}

function read(file: string): { text: string | undefined } {
  try {
    return readAgentSettings(file);
  } catch (thrown) {
    throw unreadable(getErrorMessage(thrown).replace("was not changed", "cannot be read").replace(/\.$/, ""));
  }
}

function unreadable(why: string): Error {
  return guardError("POLICY_UNREADABLE", `${why}.`, { fix: "Name the file: haft policy import AGENT FILE." });
}

function defaultFiles(
  agent: Importable,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  switch (agent) {
    case "claude":
      return [join(env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "settings.json")];
    case "codex": {
      const folder = env["CODEX_HOME"] || join(home, ".codex");
      return [join(folder, "config.toml"), ...inFolder(join(folder, "rules"), ".rules")];
    }
    case "gemini": {
      const settings = join(home, ".gemini/settings.json");
      return [settings, ...inFolder(join(dirname(settings), "policies"), ".toml")];
    }
    case "opencode": {
      const { XDG_CONFIG_HOME: xdg = "" } = env;
      const folder = join(isAbsolute(xdg) ? xdg : join(home, ".config"), "opencode");
      return ["opencode.json", "opencode.jsonc", "config.json"].map((name) => join(folder, name));
    }
  }
}

function inFolder(folder: string, end: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .toSorted()
    .map((name) => join(folder, name));
}
