import { parseTree, type Node } from "jsonc-parser";
import { jsonSettings } from "../settings/json-entry.ts";
import type { RuleSource } from "./policy-draft.ts";

/** @throws Error as a sentence without a full stop */
export function parseJsonWithLines(
  text: string,
  file: string,
): { value: Record<string, unknown>; at: (path: readonly (string | number)[]) => RuleSource } {
  const value = jsonSettings(text);
  const lines = new Map<string, RuleSource>();
  const walk = (node: Node, path: readonly (string | number)[]): void => {
    const line = text.slice(0, node.offset).split("\n").length;
    const shown = text.slice(node.offset, node.offset + node.length);
    lines.set(JSON.stringify(path), {
      file,
      line,
      text: shown.length > 200 ? String(path.at(-1) ?? "") : shown,
    });
    if (node.type === "array")
      for (const [index, child] of (node.children ?? []).entries()) walk(child, [...path, index]);
    if (node.type === "object")
      for (const { children: [key, inner] = [] } of node.children ?? [])
        if (key !== undefined && inner !== undefined) walk(inner, [...path, String(key.value)]);
  };
  const root =
    text.trim() === ""
      ? undefined
      : parseTree(text.replace(/^\uFEFF/, " "), [], { allowTrailingComma: true });
  if (root !== undefined) walk(root, []);
  return {
    value,
    at: (path) => {
      // A text can replace a list with one item.
      for (let length = path.length; length > 0; length--) {
        const found = lines.get(JSON.stringify(path.slice(0, length)));
        if (found !== undefined) return found;
      }
      return { file, text: path.map(String).join(".") };
    },
  };
}

export function readTexts(
  list: unknown,
  onOther: (index: number, value: unknown) => void,
): [string, number][] {
  if (list === undefined) return [];
  const all: unknown[] = Array.isArray(list) ? list : [list];
  return all.flatMap((each, index): [string, number][] => {
    if (typeof each === "string") return [[each, index]];
    onOther(index, each);
    return [];
  });
}
