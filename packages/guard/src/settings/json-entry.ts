import { isObject } from "@haft/utils";
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

export interface JsonHooks {
  event: string;
  isGuardEntry: (entry: unknown) => boolean;
  base?: Readonly<Record<string, unknown>>;
}

/**
 * Adds an entry in front of the others, as one contiguous piece, so that it can be removed exactly.
 *
 * @throws Error with the problem of the settings
 */
export function withEntry(text: string | undefined, entry: unknown, hooks: JsonHooks): string {
  const { event, base } = hooks;
  const whole = { ...base, hooks: { [event]: [entry] } };
  if (text === undefined) return `${JSON.stringify(whole, undefined, 2)}\n`;
  if (text.trim() === "") return text + JSON.stringify(whole);
  const root = parseJsonRoot(text);
  const list = findNodeAtLocation(root, ["hooks", event]);
  if (list !== undefined)
    return insertPiece(text, requireNode(list, "array", `hooks.${event}`), JSON.stringify(entry), 3);
  const all = findNodeAtLocation(root, ["hooks"]);
  const key = JSON.stringify(event);
  if (all !== undefined)
    return insertPiece(text, requireNode(all, "object", "hooks"), `${key}:[${JSON.stringify(entry)}]`, 2);
  return insertPiece(text, root, `"hooks":{${key}:[${JSON.stringify(entry)}]}`, 1);
}

/** Returns `undefined` if the file did not exist before. @throws as {@link withEntry} */
export function withoutEntries(text: string, hooks: JsonHooks): string | undefined {
  const entries = listGuardEntries(text, hooks);
  if (entries.length === 0) return text;
  const whole = { ...hooks.base, hooks: { [hooks.event]: entries } };
  if (text === `${JSON.stringify(whole, undefined, 2)}\n`) return undefined;
  const compact = JSON.stringify(whole);
  const before = text.slice(0, -compact.length);
  if (text.endsWith(compact) && before.trim() === "") return before;
  let rest = text;
  for (;;) {
    const guardNode = guardNodes(rest, hooks)[0];
    if (guardNode === undefined) return rest;
    rest = remove(rest, guardNode);
  }
}

/** @throws as {@link withEntry} */
export function listGuardEntries(text: string, hooks: JsonHooks): unknown[] {
  return guardNodes(text, hooks).map((node) => getNodeValue(node) as unknown);
}

/** @throws as {@link withEntry} */
export function jsonSettings(text: string): Record<string, unknown> {
  return text.trim() === "" ? {} : (getNodeValue(parseJsonRoot(text)) as Record<string, unknown>);
}

function guardNodes(text: string, { event, isGuardEntry }: JsonHooks): Node[] {
  if (text.trim() === "") return [];
  const list = findNodeAtLocation(parseJsonRoot(text), ["hooks", event]);
  return list?.type === "array"
    ? (list.children ?? []).filter((node) => isGuardEntry(getNodeValue(node)))
    : [];
}

export function parseJsonRoot(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (root === undefined || error !== undefined) {
    const line = text.slice(0, error?.offset ?? 0).split("\n").length;
    throw new Error(
      `line ${line} is not valid JSON (${error === undefined ? "it is empty" : printParseErrorCode(error.error)})`,
    );
  }
  requireOnce(root);
  return requireNode(root, "object", "the file");
}

/** Programs disagree on duplicate keys. */
function requireOnce(node: Node): void {
  const names =
    node.type === "object" ? (node.children ?? []).map(({ children }) => String(children?.[0]?.value)) : [];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`the key ${JSON.stringify(twice)} occurs twice in an object`);
  for (const child of node.children ?? []) requireOnce(child);
}

/** @throws Error if the node has another type */
export function requireNode(node: Node, type: "array" | "object", what: string): Node {
  if (node.type === type) return node;
  throw new Error(`${what} is ${node.type === "null" ? "null" : `of type ${node.type}`} instead of ${type}`);
}

export function insertPiece(text: string, container: Node, added: string, depth: number): string {
  const at = container.offset + 1;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const comma = (container.children ?? []).length > 0 ? "," : "";
  return text.slice(0, at) + eol + "  ".repeat(depth) + added + comma + text.slice(at);
}

function remove(text: string, entry: Node): string {
  const isRewritten =
    text.slice(entry.offset, entry.offset + entry.length) !== JSON.stringify(getNodeValue(entry));
  return cutEntry(text, findInsertedRange([entry], isRewritten));
}

export function cutEntry(text: string, [first, last]: readonly [Node, Node]): string {
  let from = first.offset;
  while (from > first.parent!.offset + 1 && /\s/.test(text[from - 1]!)) from--;
  let to = last.offset + last.length;
  const follows = /^\s*,/.exec(text.slice(to))?.[0];
  if (follows !== undefined) to += follows.length;
  else if (text[from - 1] === ",") from--;
  return text.slice(0, from) + text.slice(to);
}

/**
 * Adds parents that contain nothing else.
 *
 * @param isRewritten A program changed the blanks, so they do not show which parents the guard added.
 */
export function findInsertedRange(nodes: readonly Node[], isRewritten = false): [Node, Node] {
  let [first, last] = [nodes[0]!, nodes.at(-1)!];
  let count = nodes.length;
  for (;;) {
    const container = first.parent;
    const owner = container?.parent;
    if (container?.children?.length !== count) return [first, last];
    if (!isRewritten && first.offset !== container.offset + 1) return [first, last];
    if (owner?.type !== "property") return [first, last];
    [first, last, count] = [owner, owner, 1];
  }
}

export function listRecords(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
