import { addSessionRoot } from "@haft/system";
import { chmodSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stageNode } from "../../src/programs/stage-node.ts";
import {
  createTestBackend,
  openTestSandbox,
  createWorkspaceFolder,
  testInSandbox,
} from "../bubblewrap/support.ts";
import { specFor } from "../spec-for.ts";
import { tempFolder } from "../support.ts";

describe("the copy of Node for sandboxes", () => {
  test("can be executed but not read, is made once, and leaves no other file", async () => {
    const folder = join(tempFolder("cache"), "haft");
    const [first, second] = await Promise.all([stageNode(folder), stageNode(folder)]);
    expect(second).toEqual(first);
    expect(first.guarded).toBe(true);
    expect(lstatSync(first.path).mode & 0o7777).toBe(0o111);
    expect(lstatSync(first.path).size).toBe(lstatSync(process.execPath).size);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("is not used in a folder that others may write to, nor made where it cannot be", async () => {
    const open = tempFolder("cache");
    chmodSync(open, 0o777);
    const file = join(tempFolder("cache"), "file");
    writeFileSync(file, "");
    for (const folder of [open, file])
      expect(await stageNode(folder)).toEqual({ path: process.execPath, guarded: false });
    expect(readdirSync(open)).toEqual([]);
  });

  test("is not used from the folder of a session, even of a later one", async () => {
    const folder = tempFolder("cache");
    chmodSync(folder, 0o755);
    expect((await stageNode(folder)).guarded).toBe(true);
    addSessionRoot(folder);
    const original = { path: process.execPath, guarded: false };
    expect(await stageNode(folder)).toEqual(original);
    const below = join(folder, "haft");
    expect(await stageNode(below)).toEqual(original);
  });

  testInSandbox("is not required for sandboxes", async () => {
    const file = join(tempFolder("cache"), "file");
    writeFileSync(file, "");
    const backend = createTestBackend({ cacheFolder: file });
    // A workspace of root's needs devices that are kept in the same folder.
    const owner = process.getuid?.() === 0 ? 1000 : undefined;
    const { run } = await openTestSandbox(specFor(createWorkspaceFolder(owner)), backend);
    expect((await run("echo works")).output).toBe("works\n");
  });

  testInSandbox("keeps commands from the runner's memory, environment and open files", async () => {
    const { run, evaluate } = await openTestSandbox(specFor(createWorkspaceFolder()));
    const pid = await evaluate(
      "globalThis.held = process.getBuiltinModule('fs').openSync('/etc/passwd'); process.pid",
    );
    const reads = ["environ", "mem", "maps", "auxv"].map((name) => `head -c 1 /proc/${pid}/${name} | wc -c;`);
    const files = `cat /proc/${pid}/fd/* | wc -c; readlink /proc/${pid}/fd/* /proc/${pid}/exe | wc -l`;
    expect((await run(`(${reads.join(" ")} ${files}) 2>/dev/null`)).output).toBe("0\n".repeat(6));
  });
});
