import { sha256 } from "@haft/utils";
import type { ResultHead } from "../../contract/ledger-port.ts";
import { maskRecordedSecrets } from "../../format/known-secrets.ts";
import { redactSecrets } from "../../format/redact.ts";
import { mayContainSecret } from "../../format/secret-hints.ts";
import { SECRET_MASK } from "../../format/secret-masker.ts";

const HEAD = 2_000;
/** Finds secrets across the end of the stored part. */
const WINDOW = 4_000;
const MAX_TEXT = 16_000;
const MOST = 100_000;

/** Copies a JSON value and masks secrets. @throws RangeError if it is nested too deeply */
export function maskSecrets<Value>(value: Value): Value {
  return new Cover(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY).of(value) as Value;
}

/** Also cuts: long texts become a {@link ResultHead}, and the rest beyond 100,000 characters `{ elided: true }`. */
export function maskAndTruncate(value: unknown): unknown {
  return new Cover(MAX_TEXT, MOST).of(value);
}

function redactRecord(text: string): string {
  return redactSecrets(maskRecordedSecrets(text));
}

const TAIL = 1_000;

/** @param details of the result: the record keeps its short values, because they contain how a call ended */
export function toResultHead(whole: string, shown = whole, details?: unknown): ResultHead {
  const values = shortValues(details);
  return {
    bytes: Buffer.byteLength(whole),
    sha256: sha256(whole),
    head: redactRecord(shown.slice(0, WINDOW)).slice(0, HEAD).toWellFormed(),
    ...(shown.length > HEAD && { tail: redactRecord(shown.slice(-WINDOW)).slice(-TAIL).toWellFormed() }),
    ...(values !== undefined && { details: values }),
  };
}

const MAX_VALUES = 20;
const MAX_VALUE = 200;

function shortValues(details: unknown): ResultHead["details"] {
  if (typeof details !== "object" || details === null) return undefined;
  const isShort = (value: unknown): boolean =>
    value === null ||
    ["boolean", "number"].includes(typeof value) ||
    (typeof value === "string" && value.length <= MAX_VALUE);
  const short = Object.entries(details).filter(([, value]) => isShort(value));
  if (short.length === 0) return undefined;
  return maskSecrets(Object.fromEntries(short.slice(0, MAX_VALUES))) as ResultHead["details"];
}

const MAX_DEPTH = 250;
const ELIDED = { elided: true };

class Cover {
  readonly #longest: number;
  #left: number;

  constructor(longest: number, most: number) {
    this.#longest = longest;
    this.#left = most;
  }

  of(value: unknown, depth = 0): unknown {
    if (this.#left <= 0) return ELIDED;
    if (typeof value === "string") return this.#text(value);
    this.#left--;
    if (typeof value !== "object" || value === null) return isJson(value) ? value : String(value);
    if (depth > MAX_DEPTH) throw new RangeError(`It is nested deeper than ${MAX_DEPTH} levels.`);
    return Array.isArray(value)
      ? this.#list(value, depth + 1)
      : this.#members(value as Record<string, unknown>, depth + 1);
  }

  #text(value: string): unknown {
    const isLong = value.length > this.#longest;
    this.#left -= isLong ? HEAD : value.length;
    return isLong ? toResultHead(value) : redactRecord(value);
  }

  #list(items: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (let at = 0; at < items.length; at++) {
      if (this.#left <= 0) return [...copy, ELIDED];
      const item = items[at];
      copy.push(at > 0 && isValueOf(items[at - 1], item) ? SECRET_MASK : this.of(item, depth));
    }
    return copy;
  }

  #members(members: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(members)) {
      const member = members[key];
      this.#left -= key.length;
      const isSecret = typeof member === "string" && member !== "" && namesSecret(key);
      const covered = isSecret ? SECRET_MASK : this.of(member, depth);
      const shown = maskRecordedSecrets(key);
      if (shown === "__proto__") Object.defineProperty(copy, shown, { value: covered, enumerable: true });
      else copy[shown] = covered;
    }
    return copy;
  }
}

function isJson(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean" || value === null || value === undefined;
}

/** `["--password", "hunter2"]`: only both words together show the secret. */
function isValueOf(option: unknown, word: unknown): boolean {
  if (typeof option !== "string" || typeof word !== "string" || !option.startsWith("-")) return false;
  if (option.length > 100 || word.length > WINDOW || !mayContainSecret(option)) return false;
  const line = `program ${option} ${word}`;
  return redactSecrets(line) === `program ${option} ${SECRET_MASK}`;
}

function namesSecret(key: string): boolean {
  if (!mayContainSecret(key)) return false;
  const line = `"${key}": "a0b1c2d3e4"`;
  return redactSecrets(line) !== line;
}
