import { findNodeAtLocation, getNodeValue, type Node } from "jsonc-parser";
import { cutEntry, insertPiece, findInsertedRange, requireNode, parseJsonRoot } from "../json-entry.ts";

/** The guard's texts are between two marks. */
export interface MarkedList {
  path: readonly [string, string];
  begin: string;
  end: string;
}

/**
 * Adds one piece at the start of a list.
 *
 * @throws Error with the problem of the settings
 */
export function addMarked(text: string, texts: readonly string[], { path, begin, end }: MarkedList): string {
  if (texts.length === 0) return text;
  const added = [begin, ...texts, end].map((each) => JSON.stringify(each)).join(",");
  const [outer, inner] = path;
  const root = parseJsonRoot(text);
  const list = findNodeAtLocation(root, [...path]);
  if (list !== undefined) return insertPiece(text, requireNode(list, "array", path.join(".")), added, 3);
  const key = JSON.stringify(inner);
  const around = findNodeAtLocation(root, [outer]);
  if (around !== undefined)
    return insertPiece(text, requireNode(around, "object", outer), `${key}:[${added}]`, 2);
  return insertPiece(text, root, `${JSON.stringify(outer)}:{${key}:[${added}]}`, 1);
}

export function removeMarked(text: string, list: MarkedList): string {
  const nodes = markedNodes(text, list);
  return nodes === undefined ? text : cutEntry(text, findInsertedRange(nodes));
}

/** @throws as {@link addMarked} */
export function readMarked(text: string, list: MarkedList): string[] | undefined {
  return markedNodes(text, list)
    ?.slice(1, -1)
    .map((node) => String(getNodeValue(node)));
}

function markedNodes(text: string, { path, begin, end }: MarkedList): Node[] | undefined {
  if (text.trim() === "") return undefined;
  const list = findNodeAtLocation(parseJsonRoot(text), [...path]);
  const nodes = list?.type === "array" ? (list.children ?? []) : [];
  const at = (mark: string) => nodes.flatMap((node, index) => (getNodeValue(node) === mark ? [index] : []));
  const [begins, ends] = [at(begin), at(end)];
  if (begins.length + ends.length === 0) return undefined;
  const [from = -1, to = -1] = [begins[0], ends[0]];
  if (begins.length !== 1 || ends.length !== 1 || to < from)
    throw new Error(
      `its rules in ${path.join(".")} between "${begin}" and "${end}" are incomplete; remove them by hand`,
    );
  return nodes.slice(from, to + 1);
}
