/** The classes of POSIX as an expression has them: ASCII characters, as grep and git mean them. */
export const POSIX_CLASSES: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  ascii: String.raw`\x00-\x7f`,
  blank: String.raw`\x20\t`,
  cntrl: String.raw`\x00-\x1f\x7f`,
  digit: "0-9",
  graph: String.raw`\x21-\x7e`,
  lower: "a-z",
  print: String.raw`\x20-\x7e`,
  punct: String.raw`\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e`,
  space: String.raw`\t-\r\x20`,
  upper: "A-Z",
  word: "A-Za-z0-9_",
  xdigit: "0-9A-Fa-f",
};
