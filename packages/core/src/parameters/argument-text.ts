import { truncate } from "@haft/utils";
import type { HaftError } from "../contract/errors.ts";
import { coreError } from "../errors.ts";
import { findExceededBound, MAX_JSON_DEPTH, MAX_JSON_VALUES } from "./schema/json-bounds.ts";

export const MAX_ARGUMENT_CHARACTERS = 64 * 1024 * 1024;

/** Longer invalid texts are not repaired. */
const MAX_REPAIRED_CHARACTERS = 64 * 1024;

/** Longer invalid texts get no error position. */
const MAX_EXPLAINED_CHARACTERS = 4 * 1024 * 1024;

const TRAILING_JUNK = /^[^{["]{0,64}$/;

const FENCE = /^(`{3,}|~{3,})[ \t]*[\w-]*[ \t]*\r?\n([\s\S]*?)\r?\n?\1\s*$/;

/**
 * Parses the arguments of a model. An empty text means no arguments.
 *
 * Repairs invalid texts up to 64 KB with only one reading: a code fence, junk after the value, a trailing comma, unescaped line breaks in
 * strings, JSON inside a JSON string. Never completes a text.
 *
 * @throws `INVALID_ARGUMENTS`, `ARGUMENTS_TOO_LARGE`
 */
export function parseArgumentText(text: string): { value: unknown; repairs: string[] } {
  if (text.length > MAX_ARGUMENT_CHARACTERS) {
    const message = `The arguments have ${text.length} characters; at most ${MAX_ARGUMENT_CHARACTERS} are read.`;
    const details = { characters: text.length, limit: MAX_ARGUMENT_CHARACTERS };
    throw coreError("ARGUMENTS_TOO_LARGE", message, { details });
  }
  requireBounded(text);
  const repairs: string[] = [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (text.trim() === "") return { value: {}, repairs };
    value = parseDamaged(text, repairs);
  }
  if (typeof value === "string") value = parseEncodedTwice(value, repairs);
  return { value, repairs };
}

function requireBounded(text: string): void {
  const exceeded = findExceededBound(text);
  if (exceeded === undefined) return;
  if (exceeded === "depth" && text.length <= MAX_EXPLAINED_CHARACTERS && findFault(text) !== undefined)
    throw malformed(text);
  const [message, limit] =
    exceeded === "depth"
      ? [`The arguments are nested deeper than ${MAX_JSON_DEPTH} levels.`, MAX_JSON_DEPTH]
      : [`The arguments have more than ${MAX_JSON_VALUES} values.`, MAX_JSON_VALUES];
  throw coreError("ARGUMENTS_TOO_LARGE", message, { fix: "Send them in parts.", details: { limit } });
}

/** Some clients encode arguments twice. Only the JSON of an object is decoded. */
function parseEncodedTwice(value: string, repairs: string[]): unknown {
  if (value.trim() === "") return {};
  if (!/^\s*\{/.test(value)) return value;
  requireBounded(value);
  try {
    const inner: unknown = JSON.parse(value);
    repairs.push("decoded the arguments from a JSON string");
    return inner;
  } catch {
    return value;
  }
}

function parseDamaged(text: string, repairs: string[]): unknown {
  if (text.length <= MAX_REPAIRED_CHARACTERS) {
    const fenced = FENCE.exec(text.trim())?.[2];
    let candidate = fenced ?? text;
    if (fenced !== undefined) repairs.push("removed a code fence around the arguments");
    let commas = 0;
    let lineBreaks = false;
    for (let attempt = 0; attempt < 4; attempt++) {
      const fault = findFault(candidate);
      if (fault === undefined) return JSON.parse(candidate) as unknown;
      if (fault.kind === "after" && TRAILING_JUNK.test(candidate.slice(fault.at))) {
        repairs.push("ignored text after the arguments");
        candidate = candidate.slice(0, fault.at);
      } else if (fault.kind === "comma" && commas++ === 0) {
        repairs.push("removed a trailing comma");
        candidate = candidate.slice(0, fault.at) + candidate.slice(fault.at + 1);
      } else if (fault.kind === "control" && !lineBreaks) {
        lineBreaks = true;
        repairs.push("escaped line breaks inside strings");
        candidate = escapeControls(candidate);
      } else break;
    }
  }
  throw malformed(text);
}

function malformed(text: string): HaftError {
  const isShort = text.length <= MAX_EXPLAINED_CHARACTERS;
  const fault = (isShort ? findFault(text) : undefined) ?? { at: 0, problem: "they cannot be parsed" };
  const before = text.slice(0, fault.at);
  const line = before.split("\n").length;
  const column = fault.at - before.lastIndexOf("\n");
  const excerpt = JSON.stringify(truncate(text.slice(Math.max(0, fault.at - 24)), 48).toWellFormed());
  const message = `The arguments are not JSON: ${fault.problem} at position ${fault.at} (line ${line}, column ${column}), near ${excerpt}.`;
  const details = { position: fault.at, line, column, characters: text.length };
  const fix =
    "Send the arguments again as one JSON object. If they were cut off, split the work into smaller calls.";
  return coreError("INVALID_ARGUMENTS", message, { details, fix });
}

interface Fault {
  /** `after`: text after a value. `comma`: a trailing comma. `control`: unescaped in a string. */
  kind: "after" | "comma" | "control" | "end" | "other";
  at: number;
  problem: string;
}

const TOKEN =
  /[ \t\r\n]*(?:([{}[\],:])|(")|((?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])))/y;
// oxlint-disable-next-line no-control-regex
const STRING_RUN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

type Expected = "value" | "firstItem" | "item" | "firstKey" | "key" | "colon" | "separator";

function findFault(text: string): Fault | undefined {
  const open: string[] = [];
  let expected: Expected = "value";
  let comma = -1;
  let index = 0;
  for (;;) {
    TOKEN.lastIndex = index;
    const token: RegExpExecArray | null = TOKEN.exec(text);
    const start = skipBlank(text, index);
    const done: boolean = expected === "separator" && open.length === 0;
    if (done) return start === text.length ? undefined : after(start);
    if (token === null || start === text.length) return unexpected(text, start);
    index = TOKEN.lastIndex;
    const [, mark, quote] = token;
    const wantsKey: boolean = expected === "key" || expected === "firstKey";
    const wantsValue: boolean = expected === "value" || expected === "item" || expected === "firstItem";
    if (quote !== undefined && (wantsKey || wantsValue)) {
      const end = stringEnd(text, index);
      if (typeof end !== "number") return end;
      index = end;
      expected = wantsKey ? "colon" : "separator";
    } else if (mark === undefined && quote === undefined && wantsValue) {
      expected = "separator";
    } else if ((mark === "{" || mark === "[") && wantsValue) {
      open.push(mark === "{" ? "}" : "]");
      expected = mark === "{" ? "firstKey" : "firstItem";
    } else if (mark === ":" && expected === "colon") {
      expected = "value";
    } else if (mark === "," && expected === "separator") {
      comma = start;
      expected = open.at(-1) === "}" ? "key" : "item";
    } else if (mark === undefined || mark !== open.at(-1)) {
      return unexpected(text, start);
    } else if (expected === "separator" || expected === "firstKey" || expected === "firstItem") {
      open.pop();
      expected = "separator";
    } else if (expected === "key" || expected === "item") {
      return { kind: "comma", at: comma, problem: "a trailing comma" };
    } else {
      return unexpected(text, start);
    }
  }
}

function after(at: number): Fault {
  return { kind: "after", at, problem: "more text after the end of the value" };
}

function unexpected(text: string, at: number): Fault {
  if (at >= text.length) return { kind: "end", at, problem: "the text ends too early" };
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0).toWellFormed();
  return { kind: "other", at, problem: `unexpected ${JSON.stringify(character)}` };
}

function skipBlank(text: string, from: number): number {
  let index = from;
  while (index < text.length && " \t\r\n".includes(text.charAt(index))) index++;
  return index;
}

function stringEnd(text: string, from: number): number | Fault {
  let index = from;
  for (;;) {
    STRING_RUN.lastIndex = index;
    STRING_RUN.test(text);
    index = STRING_RUN.lastIndex;
    if (index >= text.length) return { kind: "end", at: index, problem: "the text ends inside a string" };
    if (text[index] === '"') return index + 1;
    if (text[index] !== "\\") {
      return {
        kind: "control",
        at: index,
        problem: "an unescaped line break or control character in a string",
      };
    }
    ESCAPE.lastIndex = index;
    if (!ESCAPE.test(text)) return { kind: "other", at: index, problem: "an escape JSON does not have" };
    index = ESCAPE.lastIndex;
  }
}

function escapeControls(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, (string) =>
    // oxlint-disable-next-line no-control-regex
    string.replace(/[\u0000-\u001f]/g, (character) => JSON.stringify(character).slice(1, -1)),
  );
}
