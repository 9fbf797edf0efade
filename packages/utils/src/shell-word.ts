import { escapeInvisible } from "./visible-text.ts";

/**
 * Returns a text as one word of a POSIX shell. Invisible characters are escaped for bash, zsh and ksh (`$'…'`).
 *
 * @example
 * ```ts run
 * import { shellWord } from "@haft/utils";
 * shellWord("src/a.ts"); // => "src/a.ts"
 * shellWord("my file"); // => "'my file'"
 * ```
 */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (escapeInvisible(text) === text) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const bytes = [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`);
  return `$'${bytes.join("")}'`;
}
