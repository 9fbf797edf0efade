/** Folds like file systems that ignore case and Unicode form. Only `İ` becomes two characters. */
export function foldCase(text: string): string {
  if (/^[\0-@[-\x7f]*$/.test(text)) return text;
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text.normalize("NFC"), foldCharacter).join("");
}

/** Through upper case: `σ` and `ς` only share that. */
export function foldCharacter(character: string): string {
  const lower = character.toLowerCase();
  const upper = lower.toUpperCase();
  return Array.from(upper).length === 1 ? upper.toLowerCase() : lower;
}
