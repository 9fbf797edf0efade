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

const charactersOf = (text: string): number => text.replace(/\s+/g, "").length;
