import { join } from "node:path";
import type { AgentSettings } from "./agent-settings.ts";
import { PROBE_SESSION } from "./hook-constants.ts";
import { HOOK_TIMEOUT_S } from "./hook-entry.ts";
import { createJsonSettings } from "./json-settings.ts";
import { isReportedFailure, hasOutputValue } from "./outcomes.ts";

const shape = {
  nested: false,
  base: { version: 1 },
  hook: ({ watchOnly }: { watchOnly: boolean }) => ({
    timeout: HOOK_TIMEOUT_S,
    ...(watchOnly ? {} : { failClosed: true }),
  }),
};
const OF_SERVERS = "beforeMCPExecution";
const BOTH = `preToolUse+${OF_SERVERS}`;
const ofServers = createJsonSettings("cursor", { event: OF_SERVERS, ...shape });
/** A pattern that excludes server tools could exclude more. */
const ofAll = createJsonSettings("cursor", { event: "preToolUse", eventArgument: BOTH, ...shape });

/** With the events for commands and files, the guard would decide twice. */
export const cursorSettings: AgentSettings = {
  id: "cursor",
  file: ({ home, project }) => join(project ?? home, ".cursor/hooks.json"),
  install(text, line) {
    const added = (to: string | undefined) => ofAll.install(ofServers.install(to, line), line);
    return text === undefined || added(text) === text ? added(text) : added(withoutBoth(text));
  },
  uninstall: withoutBoth,
  installed(text) {
    const found = ofAll.installed(text);
    return found.length > 0 ? found : ofServers.installed(text);
  },
  entries: (text) => [...ofAll.entries(text), ...ofServers.entries(text)],
  findDisablingSettings(text) {
    const [all, servers] = [ofAll.installed(text), ofServers.installed(text)];
    return [
      ...(servers.length === 0
        ? [`Its hook ${OF_SERVERS} is missing, so the guard does not see tools of MCP servers.`]
        : []),
      ...(all.length === 0
        ? ["Its hook preToolUse is missing, so the guard only sees tools of MCP servers."]
        : []),
    ].map((problem) => `${problem} Run haft guard install cursor again.`);
  },
  open: ["The guard does not check files that completions read while you type."],
  untried: true,
  forbidden: (file, cwd) => ({
    conversation_id: PROBE_SESSION,
    hook_event_name: "preToolUse",
    workspace_roots: [cwd],
    cwd,
    tool_name: "Write",
    tool_input: { file_path: file, content: "{}" },
  }),
  blocks: (outcome) => isReportedFailure(outcome) || hasOutputValue(outcome, ["permission"], "deny"),
};

function withoutBoth(text: string): string | undefined {
  const rest = ofAll.uninstall(text);
  return rest === undefined ? undefined : ofServers.uninstall(rest);
}
