/** The first word of the guard's program where it is a thread in an agent; the Node of this installation follows, and the words of a hook. */
export const INSIDE = "--inside";
