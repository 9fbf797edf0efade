/** An option of a hook: its answer begins with {@link MARK}, which tells it from silence and from other texts. */
export const MARKED = "--marked";
export const MARK = "haft:";

/** The session of calls that no agent makes: `haft guard status --probe` makes them. */
export const PROBE = "haft-guard-probe";
/** The file that a harmless one of these calls is about. */
export const HARMLESS = "harmless.txt";

/** One of these calls, as most agents tell a hook of it. */
export function probeCall(cwd: string, event: string, tool: string, args: object): object {
  return { session_id: PROBE, cwd, hook_event_name: event, tool_name: tool, tool_input: args };
}
