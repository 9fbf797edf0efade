/** Text as one word of a shell, whatever is in it. */
export function quoteShellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
