import { COVER, redactSecrets } from "../../format/redact.ts";
import { mayHoldSecret } from "../../format/secret-hints.ts";

/**
 * A JSON value in which the texts that look like secrets are covered. Its structure and its keys stay. The value itself
 * where nothing is covered.
 */
export function coverValue<Value>(value: Value): Value {
  return cover(value) as Value;
}

function cover(value: unknown): unknown {
  if (typeof value === "string") return redactSecrets(value);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? coverList(value) : coverMembers(value as Record<string, unknown>);
}

function coverList(items: readonly unknown[]): unknown {
  let copy: unknown[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    const covered = at > 0 && isValueOf(items[at - 1], item) ? COVER : cover(item);
    if (covered !== item) (copy ??= [...items])[at] = covered;
  }
  return copy ?? items;
}

function coverMembers(members: Readonly<Record<string, unknown>>): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(members)) {
    const member = members[key];
    const covered = typeof member === "string" && member !== "" && namesSecret(key) ? COVER : cover(member);
    if (covered !== member) (copy ??= { ...members })[key] = covered;
  }
  return copy ?? members;
}

/** `["--password", "hunter2"]`: neither word alone tells. */
function isValueOf(option: unknown, word: unknown): boolean {
  if (typeof option !== "string" || typeof word !== "string" || !option.startsWith("-")) return false;
  if (!mayHoldSecret(option)) return false;
  const line = `program ${option} ${word}`;
  return redactSecrets(line) === `program ${option} ${COVER}`;
}

/** Whether a text under this key is a secret, as `"api_key": "…"` is. Asked for few keys, again and again. */
function namesSecret(key: string): boolean {
  if (!mayHoldSecret(key)) return false;
  const line = `"${key}": "a0b1c2d3e4"`;
  return redactSecrets(line) !== line;
}
