const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Arguments as one line that a POSIX shell reads as exactly these. */
export function quoteForShell(argv: readonly string[]): string {
  return argv.map((one) => (PLAIN.test(one) ? one : `'${one.replaceAll("'", "'\\''")}'`)).join(" ");
}
