/** A text in which `*` stood for any characters: what stands between the stars. */
export type Wildcard = readonly string[];

/** A backslash takes the meaning from the character after it. */
export function compileWildcard(text: string): Wildcard {
  const chunks = [""];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "*") chunks.push("");
    else {
      if (text[at] === "\\" && at + 1 < text.length) at++;
      chunks[chunks.length - 1] += text[at]!;
    }
  }
  // Several stars in a row are one.
  return chunks.filter((chunk, at) => chunk !== "" || at === 0 || at === chunks.length - 1);
}

/** Takes each chunk where it first fits and never goes back, so that no pattern makes it slow. */
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

export function escapeWildcard(text: string): string {
  return text.replaceAll(/[*\\]/g, "\\$&");
}
