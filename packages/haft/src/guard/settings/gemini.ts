import { join } from "node:path";
import { probeCall } from "../hook/hook-words.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { GIVEN_UP_S } from "./guard-line.ts";
import { jsonSettings, recordsIn } from "./json-entry.ts";
import { jsonSettingsOf } from "./json-settings.ts";
import { isFailureTold, says } from "./outcomes.ts";
import { namedFolder } from "./variables.ts";

const NAME = "haft-guard";

/** Gemini CLI: it counts in milliseconds. */
export const geminiSettings: AgentSettings = {
  id: "gemini",
  file: ({ home, project, env }) =>
    join(project ?? namedFolder(env, "GEMINI_CLI_HOME", home) ?? home, ".gemini/settings.json"),
  ...jsonSettingsOf("gemini", {
    event: "BeforeTool",
    nested: true,
    entry: { matcher: ".*" },
    hook: () => ({ type: "command", name: NAME, timeout: GIVEN_UP_S * 1000 }),
  }),
  switchedOff,
  elsewhere: {
    files: (_place, folder) => [join(folder, ".gemini/settings.json")],
    problems: (text) => (text === undefined ? [] : switchedOff(text)),
  },
  open: [
    "A project's own settings can switch all hooks off (hooksConfig), once its folder is trusted; status looks for that in the folder it is started in.",
  ],
  forbidden: (file, cwd) => probeCall(cwd, "BeforeTool", "write_file", { file_path: file, content: "{}" }),
  blocks: (outcome) => isFailureTold(outcome) || says(outcome, ["decision"], "deny"),
};

function switchedOff(text: string): string[] {
  const [config = {}] = recordsIn([jsonSettings(text)["hooksConfig"]]);
  const { enabled, disabled } = config;
  return [
    ...(enabled === false ? ["hooksConfig.enabled is false: no hook is asked."] : []),
    ...(Array.isArray(disabled) && disabled.includes(NAME)
      ? [`hooksConfig.disabled names ${NAME}: it is not asked.`]
      : []),
  ];
}
