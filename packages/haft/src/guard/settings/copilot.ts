import { join } from "node:path";
import { PROBE } from "../hook/hook-words.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { GIVEN_UP_S, isOwnLine, shellLine } from "./guard-line.ts";
import { jsonSettings, recordsIn } from "./json-entry.ts";
import { isFailureTold, says } from "./outcomes.ts";
import { ownFile } from "./own-file.ts";

const EVENT = "preToolUse";

/** Copilot CLI: each file of its folder of hooks counts, so the guard has one of its own. */
export const copilotSettings: AgentSettings = {
  id: "copilot",
  file: ({ home, project, env }) =>
    project === undefined
      ? join(env["COPILOT_HOME"] || join(home, ".copilot"), "hooks/haft-guard.json")
      : join(project, ".github/hooks/haft-guard.json"),
  ...ownFile({
    write(line) {
      const hook = { type: "command", bash: shellLine("copilot", EVENT, line), timeoutSec: GIVEN_UP_S };
      return `${JSON.stringify({ version: 1, hooks: { [EVENT]: [hook] } }, undefined, 2)}\n`;
    },
    read(text) {
      const [hooks = {}] = recordsIn([jsonSettings(text)["hooks"]]);
      return recordsIn(hooks[EVENT])
        .map(({ bash }) => bash)
        .filter((line) => isOwnLine("copilot", line));
    },
    value: jsonSettings,
  }),
  open: ["On Windows it starts another line, which the guard does not have yet."],
  forbidden: (file, cwd) => ({
    sessionId: PROBE,
    cwd,
    toolName: "create",
    toolArgs: { path: file, file_text: "{}" },
  }),
  blocks: (outcome) => {
    // It takes every other exit code for a denial, too.
    const { code } = outcome;
    return isFailureTold(outcome) || (code ?? 0) > 0 || says(outcome, ["permissionDecision"], "deny");
  },
};
