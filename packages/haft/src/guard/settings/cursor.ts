import { join } from "node:path";
import { PROBE } from "../hook/inside.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { GIVEN_UP_S } from "./guard-line.ts";
import { jsonSettingsOf } from "./json-settings.ts";
import { isFailureTold, says } from "./outcomes.ts";

/** Cursor. One event for all calls: with those for commands and files beside it each call would be asked about twice. */
export const cursorSettings: AgentSettings = {
  id: "cursor",
  file: ({ home, project }) => join(project ?? home, ".cursor/hooks.json"),
  ...jsonSettingsOf("cursor", {
    event: "preToolUse",
    nested: false,
    base: { version: 1 },
    hook: ({ watchOnly }) => ({ timeout: GIVEN_UP_S, ...(watchOnly ? {} : { failClosed: true }) }),
  }),
  open: ["Files that completions read while you type are not asked about."],
  untried: true,
  forbidden: (file, cwd) => ({
    conversation_id: PROBE,
    hook_event_name: "preToolUse",
    workspace_roots: [cwd],
    cwd,
    tool_name: "Write",
    tool_input: { file_path: file, content: "{}" },
  }),
  blocks: (outcome) => isFailureTold(outcome) || says(outcome, ["permission"], "deny"),
};
