import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Answer } from "./ask/ask-codex.ts";
import { askHaft, type HaftAnswer } from "./ask/ask-haft.ts";
import { compare } from "./explain/compare.ts";
import { renderRow, type RowName, rows } from "./explain/rows.ts";
import { type Item, makeItem } from "./items/make-item.ts";
import { lengthen, readRecorded } from "./recorded.ts";

interface Asked {
  item: Item;
  codex: Answer;
  haft: HaftAnswer;
}

const asked: Promise<Asked[]> = Promise.all(
  readRecorded().map(async (answer, seed) => {
    const item = makeItem(seed);
    return { item, codex: lengthen(item, answer), haft: await askHaft(item) };
  }),
);

describe("patches as Codex was recorded to answer them", () => {
  test("the same tree, a refusal by both, or rows of the table", async () => {
    const counts = new Map<string, number>();
    const unexplained: string[] = [];
    for (const { item, codex, haft } of await asked) {
      const verdict = compare(item, codex, haft);
      if (verdict.kind === "unexplained")
        unexplained.push(`item ${item.seed}: ${verdict.why}\n${item.patch}`);
      const names = verdict.kind === "explained" ? verdict.rows : [verdict.kind];
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    expect(unexplained).toEqual([]);
    expect(counts.get("same")).toBeGreaterThan(100);
    expect(counts.get("both-refuse")).toBeGreaterThan(40);
    for (const name of ["final-newline", "several-places", "line-numbers"])
      expect(counts.has(name)).toBe(true);
  });

  test("no row explains a tree with another line, or a refusal of what Codex applied for no reason", async () => {
    const explained: number[] = [];
    for (const { item, codex, haft } of await asked) {
      const { tree } = codex;
      const changed = Object.keys(tree ?? {}).find((path) => tree?.[path] !== item.files[path]);
      if (tree === undefined || haft.tree === undefined || changed === undefined) continue;
      const other = { ...codex, tree: { ...tree, [changed]: `another line\n${tree[changed] ?? ""}` } };
      if (compare(item, other, haft).kind !== "unexplained") explained.push(item.seed);
      const refused = { ...codex, tree: undefined, said: "No reason at all" } as unknown as Answer;
      if (compare(item, refused, haft).kind !== "unexplained") explained.push(item.seed);
    }
    expect(explained).toEqual([]);
  });
});

test("the page on apply_patch has every row", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/reference/apply-patch.md"), "utf8");
  const listed = page.split("\n").filter((line) => /^\| [a-z]+(?:-[a-z]+)+ \|/.test(line));
  expect(listed).toEqual((Object.keys(rows) as RowName[]).map(renderRow));
});
