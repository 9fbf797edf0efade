import { chmod, mkdir, readdir, rename, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyPatchWith } from "../../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../../src/changes/journal/directory-journal.ts";
import type { RewindRequest } from "../../../src/changes/plan/change-contract.ts";
import { wrap } from "../../support/patch-bench.ts";
import { readTree } from "../../support/read-tree.ts";
import { temporaryWorkspace } from "../../support/temporary-workspace.ts";
import { temporaryFolder } from "../../support/tool-context.ts";

/** A workspace, and calls of one session that change it. */
async function conversation(files: Record<string, string>) {
  const space = await temporaryWorkspace(files);
  const folder = temporaryFolder();
  const journal = createDirectoryJournal(folder);
  const options = { fs: space.workspace.fs, root: space.root, journal };
  let calls = 0;
  const patchAs = async (sessionKey: string, ...lines: string[]): Promise<string> => {
    const by = { agentId: "main", sessionKey, runId: "run1", toolCallId: `call_${++calls}` };
    await applyPatchWith(createChangeEngine({ ...options, by }), wrap(...lines));
    return by.toolCallId;
  };
  const engine = createChangeEngine(options);
  return {
    ...space,
    engine,
    at: (path: string) => join(space.root, path),
    tree: () => readTree(space.root),
    /** One call, of the session `s`. */
    patch: (...lines: string[]) => patchAs("s", ...lines),
    patchAs,
    /** Back to before this call. */
    rewind(call: string, more: Partial<RewindRequest> = {}) {
      const isOf: RewindRequest["matches"] = ({ sessionKey, toolCallId }) =>
        sessionKey === "s" && Number(toolCallId?.slice(5)) >= Number(call.slice(5));
      return engine.rewind({ matches: isOf, ...more });
    },
  };
}

/** Without empty folders. */
function filesOf(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith("/")));
}

describe("conflicts of a rewind", () => {
  test.each<[what: string, why: RegExp, stranger: (at: (path: string) => string) => Promise<unknown>]>([
    ["other content", /^something else changed it after call_2$/, (at) => writeFile(at("a"), "theirs\n")],
    ["permissions", /permissions were changed/, (at) => chmod(at("a"), 0o755)],
    ["removal", /^something else changed it after call_2$/, (at) => unlink(at("a"))],
    ["a link", /symbolic link/, (at) => unlink(at("a")).then(() => symlink("b", at("a")))],
    ["a folder", /folder is there/, (at) => unlink(at("a")).then(() => mkdir(at("a")))],
  ])("report %s and change nothing, unless conflicts are skipped", async (_what, why, stranger) => {
    const { at, patch, rewind, tree } = await conversation({ a: "1\n", b: "1\n" });
    const first = await patch("*** Update File: a", "-1", "+2");
    await patch("*** Update File: a", "-2", "+3", "*** Update File: b", "-1", "+2");
    await stranger(at);
    const before = await tree();
    const { conflicts, refused, report } = await rewind(first);
    const found = [{ path: at("a"), why: expect.stringMatching(why) }];
    expect({ conflicts, refused }).toMatchObject({ conflicts: found, refused: true });
    // What would be done for the rest.
    expect(report).toMatchObject({ dryRun: true, files: [{ path: "b", kind: "modified" }] });
    expect(await tree()).toEqual(before);
    expect(await rewind(first, { skipConflicts: true })).toMatchObject({ refused: false, conflicts: [{}] });
    expect(await tree()).toEqual({ ...before, b: "1\n" });
  });

  test("include changes by other programs between two calls", async () => {
    const { at, patch, rewind, tree, write } = await conversation({ a: "1\n" });
    const first = await patch("*** Update File: a", "-1", "+2");
    await write("a", "2\ntheirs\n");
    const second = await patch("*** Update File: a", "-2", "+3");
    const why = `something else changed it between ${first} and ${second}`;
    expect((await rewind(first)).conflicts).toEqual([{ path: at("a"), why }]);
    // Before the second call it had been there.
    expect(await rewind(second)).toMatchObject({ conflicts: [], refused: false });
    expect(await tree()).toEqual({ a: "2\ntheirs\n" });
  });

  test("include changes by other sessions", async () => {
    const { patch, patchAs, rewind, tree } = await conversation({ a: "1\n", b: "1\n" });
    const first = await patch("*** Update File: a", "-1", "+2");
    await patchAs("other", "*** Update File: a", "-2", "+3", "*** Update File: b", "-1", "+9");
    expect((await rewind(first)).refused).toBe(true);
    expect(await tree()).toEqual({ a: "3\n", b: "9\n" });
  });

  test("include files that depend on a renamed file", async () => {
    const { at, patch, rewind, tree, write } = await conversation({ a: "1\n", z: "1\n" });
    const first = await patch("*** Update File: a", "*** Move to: b", "-1", "+2");
    await patch("*** Update File: b", "*** Move to: c", "-2", "+3", "*** Update File: z", "-1", "+2");
    await write("c", "theirs\n");
    const { conflicts } = await rewind(first, { skipConflicts: true });
    const together = `it depends on ${at("c")}`;
    expect(Object.fromEntries(conflicts.map(({ path, why }) => [path, why]))).toMatchObject({
      [at("c")]: "something else changed it after call_2",
      [at("b")]: together,
      [at("a")]: together,
    });
    expect(await tree()).toEqual({ c: "theirs\n", z: "1\n" });
  });

  test("include files whose folder is now a link", async () => {
    const { at, patch, rewind, tree } = await conversation({ "in/a": "1\n" });
    const first = await patch("*** Update File: in/a", "-1", "+2");
    await rename(at("in"), at("moved"));
    await symlink("moved", at("in"));
    const { conflicts } = await rewind(first, { skipConflicts: true });
    expect(conflicts).toEqual([{ path: at("in/a"), why: "its folder now leads to another location" }]);
    expect((await tree())["moved/a"]).toBe("2\n");
  });

  test("include changes during the rewind, which then changes nothing", async () => {
    const { patch, rewind, tree, write } = await conversation({ a: "1\n", b: "1\n" });
    const first = await patch("*** Update File: a", "-1", "+2", "*** Update File: b", "-1", "+2");
    const allow = () => write("b", "theirs\n");
    await expect(rewind(first, { allow })).rejects.toMatchObject({ code: "FILE_CHANGED", receipt: "none" });
    expect(await tree()).toEqual({ a: "2\n", b: "theirs\n" });
  });

  test("are irrelevant if the callback rejects the rewind, which then changes nothing", async () => {
    const { at, patch, rewind, tree } = await conversation({ a: "1\n" });
    const first = await patch("*** Update File: a", "-1", "+2", "*** Add File: new/b", "+1");
    let told: readonly string[] = [];
    const allow = async (paths: readonly string[]) => {
      told = paths;
      throw new Error("not you");
    };
    await expect(rewind(first, { allow })).rejects.toThrow("not you");
    expect(told.toSorted()).toEqual([at("a"), at("new/b")]);
    expect(await tree()).toEqual({ a: "2\n", "new/b": "1\n" });
  });
});

describe("a rewind", () => {
  test("restores created, changed, renamed and deleted files, their folders and permissions", async () => {
    const before = { a: "1\n", "in/b": "1\n", gone: "1\n" };
    const { at, engine, patch, rewind, tree } = await conversation(before);
    await chmod(at("gone"), 0o640);
    const start = await tree();
    const first = await patch("*** Add File: new/er/c", "+1", "*** Delete File: gone");
    await patch("*** Update File: in/b", "*** Move to: far/away/b", "-1", "+2");
    await patch("*** Update File: new/er/c", "*** Move to: gone", "-1", "+2");
    await patch("*** Delete File: gone", "*** Update File: a", "-1", "+2");
    const end = await tree();
    expect(await rewind(first, { dryRun: true })).toMatchObject({ refused: false, report: { dryRun: true } });
    expect(await tree()).toEqual(end);
    const { report, undone } = await rewind(first);
    expect(undone.map(({ by }) => by.toolCallId)).toEqual(["call_1", "call_2", "call_3", "call_4"]);
    expect(await tree()).toEqual(start);
    expect((await stat(at("gone"))).mode & 0o777).toBe(0o640);
    expect(await readdir(at("in"))).toEqual(["b"]);
    // It is one change, and can be taken back itself.
    await engine.undo(report.transactionId!);
    expect(filesOf(await tree())).toEqual(filesOf(end));
  });

  test("ignores undone changes, and includes changes whose undo was undone", async () => {
    const { engine, patch, rewind, tree } = await conversation({ a: "1\n", b: "1\n" });
    const first = await patch("*** Update File: a", "-1", "+2");
    await patch("*** Update File: b", "-1", "+2");
    const [, one] = await engine.list();
    const { transactionId } = await engine.undo(one!.id);
    const { undone, undoneBefore } = await rewind(first, { dryRun: true });
    expect(undone).toMatchObject([{ by: { toolCallId: "call_2" } }]);
    expect(undoneBefore).toMatchObject([{ by: { toolCallId: "call_1" } }]);
    await engine.undo(transactionId!);
    expect(await rewind(first)).toMatchObject({ conflicts: [], undone: [{}, {}] });
    expect(await tree()).toEqual({ a: "1\n", b: "1\n" });
  });

  test("changes nothing without changes", async () => {
    const { rewind, tree } = await conversation({ a: "1\n" });
    expect(await rewind("call_1")).toMatchObject({ report: { changed: false }, conflicts: [], undone: [] });
    expect(await tree()).toEqual({ a: "1\n" });
  });

  test("keeps a folder with other files", async () => {
    const { patch, rewind, tree, write } = await conversation({});
    const first = await patch("*** Add File: new/a", "+1");
    await write("new/theirs", "x");
    expect(await rewind(first)).toMatchObject({ conflicts: [] });
    expect(await tree()).toEqual({ "new/theirs": "x" });
  });
});
