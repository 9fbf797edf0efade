/**
 * Longer lines of a bundle are a mistake: a text, or a bundle without lines. Node prints the line that an uncaught
 * error was thrown in, before its message; a pipe that is slow loses what is beyond 64 KiB.
 */
export const LONGEST_LINE = 5000;
