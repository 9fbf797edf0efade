/** The answer starts with {@link ANSWER_PREFIX}, to distinguish it from other texts. */
export const MARKED_OPTION = "--marked";
export const ANSWER_PREFIX = "haft:";

/** `haft guard status --probe` uses it. */
export const PROBE_SESSION = "haft-guard-probe";
export const PROBE_FILE = "harmless.txt";

/** The format of most agents. */
export function probeCall(cwd: string, event: string, tool: string, args: object): object {
  return { session_id: PROBE_SESSION, cwd, hook_event_name: event, tool_name: tool, tool_input: args };
}
