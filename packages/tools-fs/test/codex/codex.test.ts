import { HaftError } from "@haft/core";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyPatchWith } from "../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { readContents, createMemoryFileSystem } from "../support/memory-file-system.ts";

/** What changed, by path, with `null` for what is gone; or why nothing did. */
type Answer = Record<string, string | null> | string;

/** A patch that Codex 0.169.0 and Haft were asked about. */
interface Recorded {
  files: Record<string, string>;
  patch: string;
  codex: Answer;
  /** Where it is not what Codex answers. */
  haft?: Answer;
  /** Of the table in docs/reference/apply-patch.md: they say why. */
  rows?: string[];
}

const folder = import.meta.dirname;
const recorded = readFileSync(join(folder, "recorded.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

describe("recorded answers of Codex", () => {
  test.each(recorded.map((item, index) => [index, item.rows?.join(", ") ?? "the same", item] as const))(
    "%i: %s",
    async (_, _rows, { files, patch, codex, haft = codex }) => {
      expect(await answer(files, patch)).toEqual(haft);
    },
  );

  test("documents every difference on the page on apply_patch, most with an example", () => {
    const page = readFileSync(join(folder, "../../../../docs/reference/apply-patch.md"), "utf8");
    const listed = [...page.matchAll(/^\| ([a-z]+(?:-[a-z]+)+) \|/gm)].map(([, name]) => name);
    const shown = new Set(recorded.flatMap(({ rows = [] }) => rows));
    expect(listed).toEqual(expect.arrayContaining([...shown]));
    expect(shown.size).toBeGreaterThan(listed.length / 2);
    for (const { codex, haft, rows } of recorded)
      expect(haft === undefined || rows !== undefined || codex === "refused").toBe(true);
  });
});

async function answer(files: Record<string, string>, patch: string): Promise<Answer> {
  const bytes = Object.entries(files).map(([path, content]) => [path, Buffer.from(content)] as const);
  const memory = createMemoryFileSystem(Object.fromEntries(bytes));
  try {
    await applyPatchWith(createChangeEngine({ fs: memory }), patch);
  } catch (error) {
    if (!HaftError.is(error)) throw error;
    return error.code;
  }
  const tree = Object.fromEntries(
    Array.from(await readContents(memory), ([path, bytes]) => [path, bytes.toString()]),
  );
  const paths = Object.keys({ ...files, ...tree }).filter((path) => tree[path] !== files[path]);
  return Object.fromEntries(paths.map((path) => [path, tree[path] ?? null]));
}
