/** Characters that are not blank from which a text is unlikely to stand somewhere by chance. */
const ENOUGH_CHARACTERS = 20;
/** Lines that are not blank from which it is. */
const ENOUGH_LINES = 2;
/** Characters from which it is worth mentioning that a text stands there. */
const WORTH_MENTIONING = 10;

/** Is this so much text that, found in a file, it proves that it was put there on purpose? */
export function isProof(text: string): boolean {
  if (charactersOf(text) >= ENOUGH_CHARACTERS) return true;
  return text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "").length >= ENOUGH_LINES;
}

/** Is this so much text that, found in a file, it may be more than chance? */
export function isHint(text: string): boolean {
  return charactersOf(text) >= WORTH_MENTIONING;
}

/** Lines with a word in them from which a text, standing once in a file, can only be meant there. */
const EVIDENT_LINES = 3;

/** Do these lines show so much that, standing in one place of a file only, nothing else can be meant? */
export function isEvident(lines: readonly string[]): boolean {
  return lines.filter((line) => /[\p{L}\p{N}]/u.test(line)).length >= EVIDENT_LINES;
}

const charactersOf = (text: string): number => text.replace(/\s+/g, "").length;
