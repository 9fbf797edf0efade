/** The first word of the guard's program where it is a thread in an agent; the Node of this installation follows, and the words of a hook. */
export const INSIDE = "--inside";

/** The same where it is a server that an agent starts, and its hooks call; the words of a hook follow. */
export const SERVED = "--served";

/** The conversation of calls that no agent makes: by them `haft guard status --probe` sees what is answered. */
export const PROBE = "haft-guard-probe";

/** The tool of that server. No client is told of it, so that no model sees one. */
export const DECIDE = "decide";
