import { sha256 } from "@haft/utils";

/**
 * One text for one value: the same for objects that differ only in key order. Long strings go in
 * as their SHA-256, so that the text stays short and nothing pins the arguments in memory.
 */

/** Longest string kept as it is; longer ones become a digest. */
const LITERAL_LIMIT = 512;
/** Longest key kept readable; longer ones become a digest. */
const KEY_LIMIT = 256;
const FEW_KEYS = 16;
/** Nobody means deeper values: they are equal to nothing, so that no permission for one covers another. */
const MAX_DEPTH = 200;
let tooDeep = 0;

/** A key that is equal for equal tool names and arguments, whatever the order of their keys. */
export function callKey(toolName: string, args: unknown, volatile?: ReadonlySet<string>): string {
  const body = canonicalText(args, volatile);
  return body.length <= KEY_LIMIT ? `${toolName} ${body}` : `${toolName} #${digestOf(body)}`;
}

/** The canonical text of a JSON value; `skip` names top-level keys to leave out. */
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

/** After its length a text needs no quotes and no escapes: where it ends is clear, whatever it holds. */
function writeText(text: string): string {
  return text.length <= LITERAL_LIMIT ? `${text.length}:${text}` : `s${text.length}:${digestOf(text)}`;
}

/** Half a surrogate pair has no UTF-8, so every such half would count as the same; its JSON escape does not. */
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
