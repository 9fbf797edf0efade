/**
 * Where the lines of a bundle end, at the next place that allows it. Node prints the line that an uncaught error was
 * thrown in, before its message; a pipe that is slow loses what is beyond 64 KiB.
 */
export const LINE_LIMIT = 160;
/** Longer ones are a mistake: a text, or a bundle without lines. */
export const LONGEST_LINE = 4000;
