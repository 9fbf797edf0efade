/** The first word of the guard's program where it is a thread in an agent; the Node of this installation follows, and the words of a hook. */
export const INSIDE = "--inside";

/** The same where it is a server that an agent starts, and its hooks call; the words of a hook follow. */
export const SERVED = "--served";

/** An option of a hook: what it answers begins with {@link MARK}, by which its line tells it from silence and from other texts. */
export const MARKED = "--marked";
export const MARK = "haft:";

/** The conversation of calls that no agent makes: by them `haft guard status --probe` sees what is answered. */
export const PROBE = "haft-guard-probe";
/** The file that a harmless one of them is about. */
export const HARMLESS = "harmless.txt";

/** The tool of that server. No client is told of it, so that no model sees one. */
export const DECIDE = "decide";
