import { escapeInvisible } from "@haft/utils";

/** A word as a shell reads it, with nothing in it that cannot be seen. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (escapeInvisible(text) === text) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const bytes = [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`);
  return `$'${bytes.join("")}'`;
}
