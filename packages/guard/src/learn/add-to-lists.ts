import type { KeyPath } from "@haft/policy";
import type { Document, Node, ParsedNode, YAMLMap, YAMLSeq } from "yaml";

export interface Addition {
  list: KeyPath;
  entries: readonly string[];
}

/**
 * Comments and spelling stay.
 *
 * @returns the reason against a safe change, as the rest of a sentence
 */
export async function addToLists(
  text: string,
  additions: readonly Addition[],
): Promise<{ text: string } | { why: string }> {
  let changed = text;
  for (const addition of additions) {
    const next = await addTo(changed, addition);
    if (typeof next !== "string") return next;
    changed = next;
  }
  const { parse } = await import("yaml");
  const wanted = additions.reduce((value: unknown, addition) => withEntries(value, addition), parse(text));
  const { isDeepStrictEqual } = await import("node:util");
  try {
    if (isDeepStrictEqual(parse(changed), wanted)) return { text: changed };
  } catch {
    // The result would not be valid.
  }
  return { why: "its format does not allow a safe change" };
}

async function addTo(text: string, { list, entries }: Addition): Promise<string | { why: string }> {
  const yaml = await import("yaml");
  const document = yaml.parseDocument(text) as Document<ParsedNode>;
  const found = document.getIn(list, true);
  if (yaml.isSeq(found)) return addToSeq(text, found as YAMLSeq<Node>, entries);
  if (found !== undefined) return { why: `${list.join(".")} is not a plain list` };
  const map = document.getIn(list.slice(0, -1), true);
  if (!yaml.isMap(map)) return { why: `${list.slice(0, -1).join(".")} is not a plain map` };
  return addKey(text, map as YAMLMap<Node>, String(list.at(-1)), entries);
}

const quoted = (entry: string) => JSON.stringify(entry);

function addToSeq(text: string, { items, flow, range }: YAMLSeq<Node>, entries: readonly string[]) {
  const last = items.at(-1);
  const eol = eolOf(text);
  if (last === undefined) {
    const at = range![0] + 1;
    return flow === true ? put(text, at, entries.map(quoted).join(", ")) : { why: "it has an empty list" };
  }
  const [start, end] = last.range!;
  const indentation = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  if (flow === true) {
    const isAlone = /^\s*$/.test(indentation);
    const glue = isAlone ? `,${eol}${indentation}` : ", ";
    return put(text, end, entries.map((entry) => glue + quoted(entry)).join(""));
  }
  const dash = /^(.*?)-\s+$/.exec(indentation)?.[1];
  if (dash === undefined) return { why: "it has a list entry without a separate dash" };
  // YAML does not allow `exec: - a`, but allows `- - a`.
  const indent = dash.replaceAll(/\S/g, " ");
  return putBehindLine(text, end, entries.map((entry) => `${indent}- ${quoted(entry)}`).join(eol));
}

function addKey(
  text: string,
  { items, flow, range }: YAMLMap<Node>,
  key: string,
  entries: readonly string[],
) {
  const list = entries.map(quoted).join(", ");
  if (flow === true) {
    const at = range![0] + 1;
    const space = text[at] === " " ? " " : "";
    return put(text, at, `${space}${quoted(key)}: [${list}]${items.length > 0 ? "," : ""}`);
  }
  const first = items[0]?.key.range?.[0];
  if (first === undefined) return { why: "it has an empty map" };
  const begin = text.lastIndexOf("\n", first - 1) + 1;
  const indent = text.slice(begin, first);
  if (!/^ *$/.test(indent)) return { why: "it has a map that starts in the middle of a line" };
  const eol = eolOf(text);
  const lines = [`${indent}${key}:`, ...entries.map((entry) => `${indent}  - ${quoted(entry)}`)];
  return put(text, begin, lines.map((line) => line + eol).join(""));
}

function put(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

function putBehindLine(text: string, at: number, added: string): string {
  const eol = eolOf(text);
  const end = text.indexOf("\n", at);
  if (end < 0) return `${text}${eol}${added}`;
  const isCrLf = text[end - 1] === "\r";
  return put(text, isCrLf ? end - 1 : end, `${eol}${added}`);
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

export function withEntries(value: unknown, { list, entries }: Addition): unknown {
  const [key, ...rest] = list;
  if (key === undefined) return [...((value as unknown[] | undefined) ?? []), ...entries];
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const inner = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return { ...fields, [key]: withEntries(inner, { list: rest, entries }) };
}
