import { readText, attempt } from "@haft/system";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { AgentId } from "../contract/payload.ts";

interface Client {
  programs: readonly string[];
  packages: RegExp;
  tried?: string;
}

/** `tried`: the versions of the last run of `npm run clients:guard`. */
const CLIENTS: Readonly<Record<AgentId, Client>> = {
  claude: { programs: ["claude"], packages: /^@anthropic-ai\/claude-code$/, tried: "2.1.330" },
  codex: { programs: ["codex"], packages: /^@openai\/codex$/, tried: "0.169.0" },
  copilot: { programs: ["copilot"], packages: /^@github\/copilot$/, tried: "1.0.102" },
  cursor: { programs: ["cursor-agent", "agent"], packages: /^cursor-agent$/ },
  gemini: { programs: ["gemini"], packages: /^@google\/gemini-cli$/, tried: "0.61.0" },
  openclaw: { programs: ["openclaw"], packages: /^openclaw$/, tried: "2026.9.6" },
  opencode: { programs: ["opencode"], packages: /^opencode(?:-ai|-linux-.*|-darwin-.*)?$/, tried: "1.18.33" },
  pi: { programs: ["pi"], packages: /^@[\w-]+\/pi-coding-agent$/, tried: "0.87.1" },
};
const MAX_FOLDERS = 8;

export interface ClientVersion {
  /** Absent if unknown. */
  installed?: string;
  program?: string;
  tried?: string;
}

/** Does not start the agent. */
export function clientVersion(id: AgentId, path = process.env["PATH"] ?? ""): ClientVersion {
  const { programs, packages, tried } = CLIENTS[id];
  const tested = tried === undefined ? {} : { tried };
  for (const folder of path.split(delimiter).filter((each) => isAbsolute(each)))
    for (const name of programs) {
      const program = join(folder, name);
      if (!isProgram(program)) continue;
      const installed = versionOf(program, packages);
      // Another program can have a short name.
      if (installed === undefined && name.length < 5) continue;
      return { ...tested, program, ...(installed !== undefined && { installed }) };
    }
  return tested;
}

/**
 * Returns the version of an installed agent, for people.
 *
 * @example
 * ```ts run
 * import { describeVersion } from "@haft/guard/internal/agents";
 * describeVersion({ installed: "2.1.0", program: "/usr/bin/claude", tried: "2.1.0" }); // => "client: 2.1.0; tried with 2.1.0"
 * ```
 */
export function describeVersion({ installed, program, tried }: ClientVersion): string {
  const tries = tried === undefined ? "not tested with the real client" : `tested with ${tried}`;
  if (program === undefined) return `client: not on the search path; ${tries}`;
  if (installed === undefined) return `client: ${program}, with an unknown version; ${tries}`;
  return `client: ${installed}; ${tries}${installed === tried || tried === undefined ? "" : ", not with this version"}`;
}

function isProgram(path: string): boolean {
  const isFile = attempt(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  });
  return isFile === true;
}

function versionOf(program: string, packages: RegExp): string | undefined {
  try {
    let at = dirname(realpathSync(program));
    for (let count = 0; count < MAX_FOLDERS && dirname(at) !== at; count++, at = dirname(at)) {
      const file = join(at, "package.json");
      if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
      const { name, version } = JSON.parse(readText(file)) as Record<string, unknown>;
      if (typeof name === "string" && packages.test(name) && typeof version === "string") return version;
    }
  } catch {
    // The package is unreadable.
  }
  return undefined;
}
