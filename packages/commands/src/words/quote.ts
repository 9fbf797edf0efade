/** The word as a POSIX shell reads it back, whatever it contains. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
