/** A match with so many non-blank characters is unlikely to be accidental. */
const ENOUGH_CHARACTERS = 20;
const ENOUGH_LINES = 2;
const WORTH_MENTIONING = 10;

export function isProof(text: string): boolean {
  if (charactersOf(text) >= ENOUGH_CHARACTERS) return true;
  return text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "").length >= ENOUGH_LINES;
}

export function isHint(text: string): boolean {
  return charactersOf(text) >= WORTH_MENTIONING;
}

/** A unique match with so many lines that contain a word is certain. */
const EVIDENT_LINES = 3;

export function isEvident(lines: readonly string[]): boolean {
  return lines.filter((line) => /[\p{L}\p{N}]/u.test(line)).length >= EVIDENT_LINES;
}

const charactersOf = (text: string): number => text.replace(/\s+/g, "").length;
