/**
 * Quotes a word for a POSIX shell.
 *
 * @example
 * ```ts run
 * import { quoteWord } from "@haft/commands";
 *
 * quoteWord("it's *"); // => "'it'\\''s *'"
 * ```
 */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
