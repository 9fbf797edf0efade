/** Limits lines of a bundle. Node prints the line of an uncaught error before its message, and a slow pipe loses text beyond 64 KiB. */
export const LONGEST_LINE = 5000;
