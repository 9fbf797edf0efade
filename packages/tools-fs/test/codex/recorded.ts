import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "./ask/ask-codex.ts";
import type { Item } from "./items/make-item.ts";

/** Items whose answers are kept, from seed 0 on. */
export const RECORDED = 400;
export const RECORDED_FILE = join(import.meta.dirname, "recorded.jsonl");

/** An answer as it is kept: files that are as they were are left out, and `null` stands for those that are gone. */
export interface ShortAnswer {
  /** Of the item it answers: another item has another. */
  item: string;
  said?: string;
  changed?: Record<string, string | null>;
}

const hashOf = ({ files, patch }: Item): string =>
  createHash("sha256")
    .update(JSON.stringify([files, patch]))
    .digest("base64url")
    .slice(0, 12);

export function shorten(item: Item, { tree, said }: Answer): ShortAnswer {
  // Where the tree was is none of the answer.
  if (tree === undefined) return { item: hashOf(item), said: said.replaceAll(/\/\S*?\.tree\//g, "/tree/") };
  const paths = [...new Set([...Object.keys(item.files), ...Object.keys(tree)])];
  const changed = paths
    .filter((path) => tree[path] !== item.files[path])
    .map((path) => [path, tree[path] ?? null]);
  return { item: hashOf(item), changed: Object.fromEntries(changed) as Record<string, string | null> };
}

/** What Codex answered, by seed. */
export function readRecorded(): ShortAnswer[] {
  const lines = readFileSync(RECORDED_FILE, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as ShortAnswer);
}

/** @throws When the answer is to another item: items are made in another way now, and have to be asked about again. */
export function lengthen(item: Item, { item: hash, said = "", changed }: ShortAnswer): Answer {
  if (hash !== hashOf(item))
    throw new Error(`item ${item.seed} is not the one Codex was asked about: run record.ts`);
  if (changed === undefined) return { said };
  const tree = { ...item.files, ...changed };
  const files = Object.entries(tree).filter((entry): entry is [string, string] => entry[1] !== null);
  return { said, tree: Object.fromEntries(files) };
}
