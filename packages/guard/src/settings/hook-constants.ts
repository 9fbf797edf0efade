/** An option of a hook: its answer begins with {@link ANSWER_PREFIX}, which tells it from silence and from other texts. */
export const MARKED_OPTION = "--marked";
export const ANSWER_PREFIX = "haft:";

/** The session of calls that no agent makes: `haft guard status --probe` makes them. */
export const PROBE_SESSION = "haft-guard-probe";
/** The file that a harmless one of these calls is about. */
export const PROBE_FILE = "harmless.txt";

/** One of these calls, as most agents tell a hook of it. */
export function probeCall(cwd: string, event: string, tool: string, args: object): object {
  return { session_id: PROBE_SESSION, cwd, hook_event_name: event, tool_name: tool, tool_input: args };
}
