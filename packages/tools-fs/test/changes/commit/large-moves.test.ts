import { createHostWorkspace } from "@haft/workspace";
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { applyPatchWith } from "../../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../../src/changes/journal/directory-journal.ts";
import { failure, temporaryFolder } from "../../support/tool-context.ts";

const wrap = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

/** A file of 300 MiB, which takes no room, and an engine with its usual limit. */
function bench() {
  const root = temporaryFolder();
  writeFileSync(join(root, "large.bin"), "beginning");
  truncateSync(join(root, "large.bin"), 300 * 1024 * 1024);
  const { fs } = createHostWorkspace({ root });
  const engine = createChangeEngine({ fs, root, journal: createDirectoryJournal(temporaryFolder()) });
  return { root, engine, at: (name: string): string => join(root, name) };
}

it("moves a file of any size, and moves it back", async () => {
  const { engine, at } = bench();
  const { report, summary } = await applyPatchWith(engine, wrap("*** Move File: large.bin -> sub/b.bin"));
  expect(summary.modified).toEqual(["sub/b.bin"]);
  expect(report.files).toMatchObject([
    { kind: "moved", bytesAfter: 300 * 1024 * 1024, before: null, after: null },
  ]);
  expect(existsSync(at("large.bin"))).toBe(false);
  expect(statSync(at("sub/b.bin")).size).toBe(300 * 1024 * 1024);
  await engine.undo(report.transactionId!);
  expect(existsSync(at("sub"))).toBe(false);
  expect(statSync(at("large.bin")).size).toBe(300 * 1024 * 1024);
});

it("does not move it back if it was written since", async () => {
  const { engine, at } = bench();
  const { report } = await applyPatchWith(engine, wrap("*** Move File: large.bin -> b.bin"));
  appendFileSync(at("b.bin"), "more");
  expect((await failure(engine.undo(report.transactionId!))).code).toBe("UNDO_CONFLICT");
});

it("moves it back if a later part of the change fails", async () => {
  const { engine, at } = bench();
  writeFileSync(at("a"), "1\n");
  // Between the plan and the commit somebody puts a file where the second move leads.
  const request = {
    paths: ["large.bin", "b.bin", "a", "c"].map((path) => ({ path, unlink: true })),
    async plan(tree: Parameters<Parameters<typeof engine.change>[0]["plan"]>[0]) {
      tree.move(await tree.file("large.bin", true), await tree.file("b.bin", true));
      tree.move(await tree.file("a", true), await tree.file("c", true));
      writeFileSync(at("c"), "in the way");
    },
  };
  expect(await failure(engine.change(request))).toMatchObject({ receipt: "none" });
  expect(statSync(at("large.bin")).size).toBe(300 * 1024 * 1024);
  expect([existsSync(at("b.bin")), readFileSync(at("a"), "utf8")]).toEqual([false, "1\n"]);
});

it("does not change it and does not replace another file with it", async () => {
  const { engine, at } = bench();
  writeFileSync(at("b.bin"), "x");
  const over = wrap("*** Delete File: b.bin", "*** Move File: large.bin -> b.bin");
  expect((await failure(applyPatchWith(engine, over))).code).toBe("FILE_TOO_LARGE");
  expect(readFileSync(at("b.bin"), "utf8")).toBe("x");
});
