/** The text as file systems see it that ignore case and Unicode form. Only `İ` becomes two characters. */
export function foldCase(text: string): string {
  // Most paths have nothing to fold, and no copy is made of them.
  if (/^[\0-@[-\x7f]*$/.test(text)) return text;
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text.normalize("NFC"), foldCharacter).join("");
}

/** By way of upper case: `σ` and `ς` have only that in common. */
export function foldCharacter(character: string): string {
  const lower = character.toLowerCase();
  const upper = lower.toUpperCase();
  return Array.from(upper).length === 1 ? upper.toLowerCase() : lower;
}
