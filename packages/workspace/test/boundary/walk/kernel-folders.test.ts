import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Folder } from "../../../src/boundary/walk/folders.ts";
import { createKernelFolders } from "../../../src/boundary/walk/kernel-folders.ts";
import { SLICE_BYTES } from "../../../src/files/read-file.ts";
import { createHostWorkspace } from "../../../src/index.ts";
import { catchErrorCode, readText, site } from "../../support.ts";

const openHandles = (): number => readdirSync("/proc/self/fd").length;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const folders = createKernelFolders();

describe.runIf(folders !== undefined)("folders with handles", () => {
  const held = (path: string): Folder => {
    const folder = folders!.at(path);
    if (folder === undefined) throw new Error(`${path} was not opened`);
    return folder;
  };

  it("detect that they were moved, removed or replaced by a link", () => {
    const { ws, base, outside } = site();
    const folder = held(ws);
    expect(folder.isCurrent()).toBe(true);
    renameSync(ws, join(base, "moved"));
    expect(folder.isCurrent()).toBe(false);
    symlinkSync(outside, ws);
    expect(folder.isCurrent()).toBe(false);
    expect(folders!.at(ws)).toBeUndefined();
    rmSync(ws);
    renameSync(join(base, "moved"), ws);
    expect(held(ws).isCurrent()).toBe(true);
    rmSync(ws, { recursive: true });
    expect(folders!.known(ws)).toBeUndefined();
  });

  it("do not open links, files or missing paths", () => {
    const { ws, outside } = site();
    symlinkSync(outside, join(ws, "link"));
    writeFileSync(join(ws, "file"), "");
    expect(["link", "file", "none"].map((name) => folders!.open(held(ws), name))).toEqual([
      "link",
      "other",
      "missing",
    ]);
    expect(folders!.at(join(ws, "link"))).toBeUndefined();
  });

  it("stay usable while they are held, however many folders are opened", async () => {
    const { ws } = site();
    mkdirSync(join(ws, "kept"));
    writeFileSync(join(ws, "kept/file"), "");
    const child = folders!.open(held(ws), "kept") as Folder;
    const release = child.hold();
    for (let index = 0; index < 200; index += 1) {
      mkdirSync(join(ws, `d${index}`));
      folders!.open(held(ws), `d${index}`);
    }
    await turn();
    expect(child.isCurrent()).toBe(true);
    expect(readdirSync(child.entry("."))).toEqual(["file"]);
    release();
  });

  it("do not accumulate after success or failure", async () => {
    const { ws } = site();
    const before = openHandles();
    const { fs } = createHostWorkspace({ root: ws });
    for (let index = 0; index < 150; index += 1) {
      await fs.write(`d${index}/file`, new Uint8Array(1));
      await fs.append(`d${index}/file`, new Uint8Array(1));
      await fs.list(`d${index}`);
      await catchErrorCode(fs.read(`d${index}`));
      await catchErrorCode(fs.write(`d${index}/file/x`, new Uint8Array(1)));
      await catchErrorCode(fs.write(`d${index}/new/${"x".repeat(300)}`, new Uint8Array(1)));
      await catchErrorCode(fs.write(`d${index}/file`, new Uint8Array(1), { ifMatch: "other" }));
      await catchErrorCode(fs.read(`d${index}/file`, { signal: AbortSignal.abort() }));
    }
    await turn();
    expect(openHandles()).toBeLessThan(before + 70);
  });

  it("F8: leave no file in a folder that is moved out during a write", async () => {
    const { ws, outside } = site();
    const { fs } = createHostWorkspace({ root: ws });
    for (const mode of ["replace", "create"] as const) {
      await fs.mkdirp("dir");
      const call = catchErrorCode(fs.write("dir/new/file", new Uint8Array(3 * SLICE_BYTES), { mode }));
      renameSync(join(ws, "dir"), join(outside, mode));
      expect(await call).toBe("PATH_CHANGED");
      expect(readdirSync(join(outside, mode))).toEqual([]);
    }
    expect(readdirSync(ws)).toEqual([]);
  });

  it("support deeper paths than the system accepts", async () => {
    const { ws } = site();
    const { fs } = createHostWorkspace({ root: ws });
    const deep = Array.from({ length: 15 }, () => "d".repeat(200)).join("/");
    await fs.write(`${deep}/file`, new TextEncoder().encode("deep"));
    expect(await readText({ fs, describe: () => ({}) as never }, `${deep}/file`)).toBe("deep");
    expect(await catchErrorCode(fs.write(`${deep}/${deep}/file`, new Uint8Array(1)))).toBe("INVALID_PATH");
  });
});
