import { sha256 } from "@haft/utils";

/** Canonical JSON, independent of key order. SHA-256 shortens long strings. */

const LITERAL_LIMIT = 512;
const KEY_LIMIT = 256;
const FEW_KEYS = 16;
/** A deeper value equals no other, so that no permission covers another. */
const MAX_DEPTH = 200;
let tooDeep = 0;

export function callKey(toolName: string, args: unknown, volatile?: ReadonlySet<string>): string {
  const body = canonicalText(args, volatile);
  return body.length <= KEY_LIMIT ? `${toolName} ${body}` : `${toolName} #${digestOf(body)}`;
}

/** @param skip Excluded top-level keys. */
export function canonicalText(value: unknown, skip?: ReadonlySet<string>): string {
  return write(value, 0, skip);
}

function write(value: unknown, depth: number, skip?: ReadonlySet<string>): string {
  if (typeof value === "string") return writeText(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (depth >= MAX_DEPTH) return `…${++tooDeep}`;
  if (Array.isArray(value)) {
    let out = "[";
    for (const item of value) out += `${write(item, depth + 1)},`;
    return `${out}]`;
  }
  const record = value as Record<string, unknown>;
  let out = "{";
  for (const key of sort(Object.keys(record))) {
    const item = record[key];
    if (item === undefined || skip?.has(key)) continue;
    out += `${writeText(key)}=${write(item, depth + 1)},`;
  }
  return `${out}}`;
}

/** A length prefix marks the end of a text without quotes and escapes. */
function writeText(text: string): string {
  return text.length <= LITERAL_LIMIT ? `${text.length}:${text}` : `s${text.length}:${digestOf(text)}`;
}

/** Lone surrogates would share one UTF-8; their JSON escapes differ. */
function digestOf(value: string): string {
  return sha256(value.isWellFormed() ? value : JSON.stringify(value), "base64url");
}

function sort(keys: string[]): string[] {
  if (keys.length > FEW_KEYS) return keys.toSorted();
  for (let end = 1; end < keys.length; end++) {
    const key = keys[end]!;
    let at = end;
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
  return keys;
}
