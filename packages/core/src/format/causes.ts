import { HaftError, getErrorMessage } from "../contract/errors.ts";
import { redactSecrets } from "./redact.ts";

const MAX_CAUSES = 8;
const MAX_CHARACTERS = 300;

/**
 * Returns the distinct causes of an error, nearest first, from `cause` and `AggregateError.errors`, with codes and masked secrets. Never
 * throws.
 */
export function listCauses(thrown: unknown): string[] {
  const reported = [getErrorMessage(thrown)];
  const seen = new Set<unknown>([thrown]);
  const open = childrenOf(thrown);
  let looked = 0;
  while (open.length > 0 && looked < MAX_CAUSES) {
    const next = open.shift();
    if (seen.has(next)) continue;
    seen.add(next);
    looked++;
    const words = wordsOf(next);
    if (words !== "" && !reported.some((known) => known.includes(words))) reported.push(words);
    open.unshift(...childrenOf(next));
  }
  const causes = reported.slice(1).map(shown);
  return open.some((left) => !seen.has(left)) ? [...causes, "more causes, not shown"] : causes;
}

/** Formats an error and its causes in one line; a `HaftError` without causes. */
export function messageWithCauses(thrown: unknown): string {
  if (HaftError.is(thrown)) return getErrorMessage(thrown);
  const causes = listCauses(thrown);
  const message = getErrorMessage(thrown);
  return causes.length === 0 ? message : `${message} (caused by: ${causes.join("; ")})`;
}

function childrenOf(thrown: unknown): unknown[] {
  if (typeof thrown !== "object" || thrown === null) return [];
  try {
    const { cause, errors } = thrown as { cause?: unknown; errors?: unknown };
    const gathered: unknown[] = Array.isArray(errors) ? errors.slice(0, MAX_CAUSES + 1) : [];
    return cause === undefined || cause === null ? gathered : [cause, ...gathered];
  } catch {
    return [];
  }
}

function wordsOf(thrown: unknown): string {
  try {
    const { message, code, errors } = Object(thrown) as Record<"message" | "code" | "errors", unknown>;
    if (message === "" && Array.isArray(errors)) return "";
    const words = getErrorMessage(thrown);
    return typeof code === "string" && code !== "" && !words.includes(code) ? `${words} (${code})` : words;
  } catch {
    return getErrorMessage(thrown);
  }
}

function shown(words: string): string {
  // Masks before cutting, so that no secret is cut in the middle.
  const covered = redactSecrets(words.slice(0, 4 * MAX_CHARACTERS)).replaceAll(/\s+/g, " ");
  return covered.length > MAX_CHARACTERS ? `${covered.slice(0, MAX_CHARACTERS).toWellFormed()}…` : covered;
}
