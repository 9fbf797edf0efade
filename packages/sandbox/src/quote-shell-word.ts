export function quoteShellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
