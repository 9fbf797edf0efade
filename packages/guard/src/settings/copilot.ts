import { join } from "node:path";
import type { AgentSettings } from "./agent-settings.ts";
import { dedicatedFileSettings } from "./dedicated-file-settings.ts";
import { PROBE_SESSION } from "./hook-constants.ts";
import { HOOK_TIMEOUT_S, isGuardHookLine, shellLine } from "./hook-entry.ts";
import { jsonSettings, listRecords } from "./json-entry.ts";
import { isReportedFailure, hasOutputValue } from "./outcomes.ts";

const EVENT = "preToolUse";

/** Copilot reads all files of its hooks folder. */
export const copilotSettings: AgentSettings = {
  id: "copilot",
  file: ({ home, project, env }) =>
    project === undefined
      ? join(env["COPILOT_HOME"] || join(home, ".copilot"), "hooks/haft-guard.json")
      : join(project, ".github/hooks/haft-guard.json"),
  ...dedicatedFileSettings({
    write(line) {
      const hook = { type: "command", bash: shellLine("copilot", EVENT, line), timeoutSec: HOOK_TIMEOUT_S };
      return `${JSON.stringify({ version: 1, hooks: { [EVENT]: [hook] } }, undefined, 2)}\n`;
    },
    read(text) {
      const [hooks = {}] = listRecords([jsonSettings(text)["hooks"]]);
      return listRecords(hooks[EVENT])
        .map(({ bash }) => bash)
        .filter((line) => isGuardHookLine("copilot", line));
    },
    value: jsonSettings,
  }),
  open: ["On Windows, it starts another line, which the guard does not install yet."],
  forbidden: (file, cwd) => ({
    sessionId: PROBE_SESSION,
    cwd,
    toolName: "create",
    toolArgs: { path: file, file_text: "{}" },
  }),
  blocks: (outcome) => {
    // Every exit code above 0 is a denial.
    const { code } = outcome;
    return (
      isReportedFailure(outcome) || (code ?? 0) > 0 || hasOutputValue(outcome, ["permissionDecision"], "deny")
    );
  },
};
