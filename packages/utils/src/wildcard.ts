/** A pattern of {@link compileWildcard}: the texts between its stars. */
export type Wildcard = readonly string[];

/**
 * Compiles a pattern in which `*` matches any characters, or none. A backslash escapes the next character.
 *
 * @example
 * ```ts run
 * import { compileWildcard, matchesWildcard } from "@haft/utils";
 * const pattern = compileWildcard("npm run *");
 * matchesWildcard(pattern, "npm run test"); // => true
 * ```
 */
export function compileWildcard(text: string): Wildcard {
  const chunks = [""];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "*") chunks.push("");
    else {
      if (text[at] === "\\" && at + 1 < text.length) at++;
      chunks[chunks.length - 1] += text[at]!;
    }
  }
  return chunks.filter((chunk, at) => chunk !== "" || at === 0 || at === chunks.length - 1);
}

/**
 * Returns whether a compiled pattern covers the whole text. It takes each part at its first match and never backtracks, so no pattern is
 * slow.
 *
 * @example
 * ```ts run
 * import { compileWildcard, matchesWildcard } from "@haft/utils";
 * matchesWildcard(compileWildcard("*.ts"), "src/index.ts"); // => true
 * matchesWildcard(compileWildcard("*.ts"), "src/index.tsx"); // => false
 * ```
 */
export function matchesWildcard(chunks: Wildcard, text: string): boolean {
  const first = chunks[0]!;
  if (chunks.length === 1) return text === first;
  const last = chunks[chunks.length - 1]!;
  const end = text.length - last.length;
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (let index = 1; index < chunks.length - 1; index++) {
    const chunk = chunks[index]!;
    const found = text.indexOf(chunk, at);
    if (found < 0 || found + chunk.length > end) return false;
    at = found + chunk.length;
  }
  return true;
}

/**
 * Returns a pattern for {@link compileWildcard} that covers exactly this text: it escapes `*` and `\`.
 *
 * @example
 * ```ts run
 * import { compileWildcard, escapeWildcard, matchesWildcard } from "@haft/utils";
 * const pattern = compileWildcard(escapeWildcard("2 * 3"));
 * matchesWildcard(pattern, "2 + 3"); // => false
 * ```
 */
export function escapeWildcard(text: string): string {
  return text.replaceAll(/[*\\]/g, "\\$&");
}
