/**
 * One text for one value: the same for objects that differ only in key order. Long strings go in
 * as their SHA-256, so that the text stays short and nothing pins the arguments in memory.
 */

/** Longest string kept as it is; above, a digest of the raw characters is cheaper than escaping them. */
const LITERAL_LIMIT = 512;
/** Longest key kept readable; longer ones become a digest. */
const KEY_LIMIT = 256;
/** Nobody means deeper values: they are equal to nothing, so that no permission for one covers another. */
const MAX_DEPTH = 200;
let tooDeep = 0;

let hash: ((algorithm: string, data: string, encoding: "base64url") => string) | undefined;

/** SHA-256 of a text, base64url (43 characters). Loads the crypto module on first use. */
export function sha256(data: string): string {
  hash ??= process.getBuiltinModule("node:crypto").hash;
  return hash("sha256", data, "base64url");
}

/** A key that is equal for equal tool names and arguments, whatever the order of their keys. */
export function callKey(toolName: string, args: unknown, volatile?: ReadonlySet<string>): string {
  const body = canonicalText(args, volatile);
  return body.length <= KEY_LIMIT ? `${toolName} ${body}` : `${toolName} #${sha256(body)}`;
}

/** The canonical text of a JSON value; `skip` names top-level keys to leave out. */
export function canonicalText(value: unknown, skip?: ReadonlySet<string>): string {
  return write(value, 0, skip);
}

function write(value: unknown, depth: number, skip?: ReadonlySet<string>): string {
  if (typeof value === "string") {
    return value.length <= LITERAL_LIMIT ? JSON.stringify(value) : `s${value.length}:${digestOf(value)}`;
  }
  if (typeof value !== "object" || value === null) return String(value);
  if (depth >= MAX_DEPTH) return `…${++tooDeep}`;
  if (Array.isArray(value)) {
    let out = "[";
    for (const item of value) out += `${write(item, depth + 1)},`;
    return `${out}]`;
  }
  const record = value as Record<string, unknown>;
  const keys = Object.keys(record);
  if (!isSorted(keys)) keys.sort();
  let out = "{";
  for (const key of keys) {
    const item = record[key];
    if (item === undefined || skip?.has(key)) continue;
    out += `${JSON.stringify(key)}:${write(item, depth + 1)},`;
  }
  return `${out}}`;
}

/** Half a surrogate pair has no UTF-8, so every such half would count as the same; its JSON escape does not. */
function digestOf(value: string): string {
  return sha256(value.isWellFormed() ? value : JSON.stringify(value));
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return false;
  return true;
}
