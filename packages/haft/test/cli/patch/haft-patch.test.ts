import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";

const PATCH = `*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+TWO
*** Add File: sub/new.txt
+hello
*** Delete File: old.txt
*** Move File: from.txt -> to.txt
*** End Patch
`;

async function project(): Promise<string> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "one\r\ntwo\r\nthree");
  await writeFile(join(cwd, "old.txt"), "old\n");
  await writeFile(join(cwd, "from.txt"), "moved\n");
  return cwd;
}

async function tree(cwd: string): Promise<Record<string, string>> {
  const entries = await readdir(cwd, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file, "latin1")));
  return Object.fromEntries(files.map((file, index) => [file.slice(cwd.length + 1), contents[index]!]));
}

describe("a failed patch changes nothing", () => {
  test.for([
    ["one hunk that does not fit", PATCH.replace("-two", "-2"), /nothing was changed/],
    ["no patch at all", "hello", /Begin Patch/],
    ["nothing", "", /patch/i],
    ["a path outside", PATCH.replace("sub/new.txt", "../new.txt"), /outside workspace directory/],
  ] as const)("%s", async ([, input, message]) => {
    const cwd = await project();
    const before = await tree(cwd);
    const run = await haftHere(["tools", "patch"], { cwd, input });
    expect(run.code).toBe(1);
    expect(run.stdout).toBe("");
    expect(run.stderr).toMatch(message);
    expect(await tree(cwd)).toEqual(before);
  });

  test("prints a conflict as data with --json", async () => {
    const cwd = await project();
    const run = await haftHere(["tools", "patch", "--json"], { cwd, input: PATCH.replace("-two", "-2") });
    expect(run.lines()[0]).toMatchObject({
      error: "PATCH_CONFLICT",
      conflicts: [{ path: "a.txt", hunk: 0 }],
    });
  });

  test("refuses to undo a changed file and an unknown id", async () => {
    const cwd = await project();
    const { transactionId } = (
      await haftHere(["tools", "patch", "--json"], { cwd, input: PATCH })
    ).lines()[0];
    await writeFile(join(cwd, "to.txt"), "somebody else\n");
    const before = await tree(cwd);
    const refused = await haftHere(["undo", transactionId], { cwd });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/UNDO_CONFLICT/);
    expect(await tree(cwd)).toEqual(before);
    expect((await haftHere(["undo", "nope"], { cwd })).stderr).toMatch(/TRANSACTION_NOT_FOUND/);
  });
});

test("prints the same for a dry run, and writes nothing", async () => {
  const cwd = await project();
  await mkdir(join(cwd, "unrelated"));
  const before = await tree(cwd);
  const dry = (await haftHere(["tools", "patch", "--dry-run", "--json"], { cwd, input: PATCH })).lines()[0];
  expect(await tree(cwd)).toEqual(before);
  const real = (await haftHere(["tools", "patch", "--json"], { cwd, input: PATCH })).lines()[0];
  expect(dry.files).toEqual(real.files);
  expect(dry).toMatchObject({ dryRun: true, changed: true });
  expect(await tree(cwd)).toEqual({
    "a.txt": "one\r\nTWO\r\nthree",
    "sub/new.txt": "hello\n",
    "to.txt": "moved\n",
  });
});

test("restores every byte with undo", async () => {
  const cwd = await project();
  const before = await tree(cwd);
  const { transactionId } = (await haftHere(["tools", "patch", "--json"], { cwd, input: PATCH })).lines()[0];
  const undone = await haftHere(["undo", transactionId], { cwd });
  expect(undone.code).toBe(0);
  expect(undone.stdout).toMatch(/Reverted 4 files/);
  expect(await tree(cwd)).toEqual(before);
});
