import { join } from "node:path";
import type { AgentSettings } from "./agent-settings.ts";
import { GIVEN_UP_S } from "./guard-line.ts";
import { jsonSettings } from "./json-entry.ts";
import { jsonSettingsOf } from "./json-settings.ts";
import { isFailureTold, says } from "./outcomes.ts";

/** Claude Code. In a project it is the file that is one's own there, since the line names paths of this machine. */
export const claudeSettings: AgentSettings = {
  id: "claude",
  file: ({ home, project, env }) =>
    project === undefined
      ? join(env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "settings.json")
      : join(project, ".claude/settings.local.json"),
  ...jsonSettingsOf("claude", {
    event: "PreToolUse",
    nested: true,
    entry: { matcher: "*" },
    hook: ({ watchOnly }) => ({
      type: "command",
      timeout: GIVEN_UP_S,
      ...(watchOnly ? {} : { onFailure: "block" }),
    }),
  }),
  switchedOff: (text) =>
    jsonSettings(text)["disableAllHooks"] === true ? ["disableAllHooks is set: no hook is asked."] : [],
  open: [
    "Files named with @ in a prompt are read without a hook; deny them in its own permissions.",
    "What you type behind ! is not asked about.",
    "Versions before 2.1.295 do not know onFailure; a line that ends with exit code 2 blocks there, too.",
  ],
  forbidden: (file, cwd) => ({
    session_id: "haft-guard-probe",
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Write",
    tool_input: { file_path: file, content: "{}" },
  }),
  blocks: (outcome) =>
    isFailureTold(outcome) || says(outcome, ["hookSpecificOutput", "permissionDecision"], "deny"),
};
