import { join } from "node:path";
import type { AgentSettings } from "./agent-settings.ts";
import { probeCall } from "./hook-constants.ts";
import { HOOK_TIMEOUT_S } from "./hook-entry.ts";
import { jsonSettings, listRecords } from "./json-entry.ts";
import { createJsonSettings } from "./json-settings.ts";
import { isReportedFailure, hasOutputValue } from "./outcomes.ts";
import { folderFromVariable } from "./variables.ts";

const NAME = "haft-guard";

/** Timeouts are in milliseconds. */
export const geminiSettings: AgentSettings = {
  id: "gemini",
  file: ({ home, project, env }) =>
    join(project ?? folderFromVariable(env, "GEMINI_CLI_HOME", home) ?? home, ".gemini/settings.json"),
  ...createJsonSettings("gemini", {
    event: "BeforeTool",
    nested: true,
    entry: { matcher: ".*" },
    hook: () => ({ type: "command", name: NAME, timeout: HOOK_TIMEOUT_S * 1000 }),
  }),
  findDisablingSettings: switchedOff,
  relatedFiles: {
    files: (_location, folder) => [join(folder, ".gemini/settings.json")],
    problems: (text) => (text === undefined ? [] : switchedOff(text)),
  },
  open: [
    "The settings of a trusted project can disable all hooks (hooksConfig). status checks this for the current folder.",
  ],
  forbidden: (file, cwd) => probeCall(cwd, "BeforeTool", "write_file", { file_path: file, content: "{}" }),
  blocks: (outcome) => isReportedFailure(outcome) || hasOutputValue(outcome, ["decision"], "deny"),
};

function switchedOff(text: string): string[] {
  const [config = {}] = listRecords([jsonSettings(text)["hooksConfig"]]);
  const { enabled, disabled } = config;
  return [
    ...(enabled === false ? ["hooksConfig.enabled is false, so no hook is asked."] : []),
    ...(Array.isArray(disabled) && disabled.includes(NAME)
      ? [`hooksConfig.disabled names ${NAME}, so it is not asked.`]
      : []),
  ];
}
