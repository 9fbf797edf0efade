import { createCoverCheck, type ValueKind } from "./covered-values.ts";
import { createSecretPatterns } from "./secret-patterns.ts";

/** What is shown instead. */
const COVER = "[secret]";

const BASE64_LINE =
  /(\\[nr])|[A-Za-z0-9+/=]{40,}|(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])(?=[A-Za-z+/]*\d)[A-Za-z0-9+/=]{8,}/g;
const SHORT_LINE = /(\\[nr]|\[secret\])|(?=[a-z0-9+]*[A-Z]|[A-Za-z0-9+]+=)[A-Za-z0-9+]+={0,2}(?![\w/+=])/g;
const BETWEEN_MARKS = /^[A-Za-z0-9+/=]+$/;

let patterns: ReturnType<typeof createSecretPatterns> | undefined;

/**
 * A text in which what looks like a secret is covered: for prompts, which reach chats and logs. It finds common
 * shapes only; that something is not covered does not make it public.
 */
export function redactSecrets(text: string): string {
  patterns ??= createSecretPatterns();
  let shown = text.replace(patterns.privateKey, (lines) => coverLines(lines, BASE64_LINE));
  shown = shown.replace(patterns.shortKey, (lines) =>
    BETWEEN_MARKS.test(lines) ? COVER : coverLines(lines, SHORT_LINE),
  );
  shown = shown.replace(patterns.knownKeys, COVER);
  for (const pattern of patterns.flags) shown = coverValues(shown, "known", pattern, () => 0);
  for (const pattern of patterns.headers) shown = coverValues(shown, "known", pattern);
  for (const pattern of patterns.assigned) shown = coverValues(shown, "assigned", pattern);
  for (const pattern of patterns.options) shown = coverValues(shown, "option", pattern);
  return shown;
}

/** Covers what a pattern finds, from behind what is kept of it, unless that would hide more than a value. */
function coverValues(text: string, kind: ValueKind, pattern: RegExp, keptOf = firstGroup): string {
  const mayCover = createCoverCheck(text);
  let shown = "";
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    const at = found.index + keptOf(found);
    const value = text.slice(at, found.index + found[0].length);
    if (!mayCover(kind, at, value)) continue;
    shown += text.slice(end, at) + COVER;
    end = at + value.length;
  }
  return shown + text.slice(end);
}

function firstGroup([, kept]: RegExpExecArray): number {
  return kept!.length;
}

/** What to tell whoever reads such a text, where something is covered in it. */
export function secretsNote(shown: string): string | undefined {
  if (!shown.includes(COVER)) return undefined;
  return `${COVER} stands for what looks like a secret: it is used as it was given, and not shown.`;
}

/** The first group stays. */
function coverLines(lines: string, secret: RegExp): string {
  return lines.replace(secret, (_found, kept?: string) => kept ?? COVER);
}
