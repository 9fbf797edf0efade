/** With this many non-blank characters, a match is unlikely to be accidental. */
const ENOUGH_CHARACTERS = 20;
/** The same in non-blank lines. */
const ENOUGH_LINES = 2;
/** With this many characters, a match is worth mentioning. */
const WORTH_MENTIONING = 10;

/** Whether the text is long enough to prove that it was inserted on purpose. */
export function isProof(text: string): boolean {
  if (charactersOf(text) >= ENOUGH_CHARACTERS) return true;
  return text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "").length >= ENOUGH_LINES;
}

/** Whether the text is long enough for a hint. */
export function isHint(text: string): boolean {
  return charactersOf(text) >= WORTH_MENTIONING;
}

/** With this many lines that contain a word, a unique match is certain. */
const EVIDENT_LINES = 3;

/** Whether a unique match of these lines is certain. */
export function isEvident(lines: readonly string[]): boolean {
  return lines.filter((line) => /[\p{L}\p{N}]/u.test(line)).length >= EVIDENT_LINES;
}

const charactersOf = (text: string): number => text.replace(/\s+/g, "").length;
