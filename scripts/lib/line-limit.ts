/** Characters of a bundle's line. Node prints it before an uncaught error, and slow pipes lose text beyond 64 KiB. */
export const LONGEST_LINE = 5000;
