import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SLICE_BYTES } from "../../src/files/read-file.ts";
import { bytes, catchErrorCode, catchFailure, leftovers, LEVELS, open, readText, site } from "../support.ts";

/** What no other place than the host has, or cannot be seen there; all else is in the contract of files. */
describe.each(LEVELS)("files at level $level", (level) => {
  const start = (options = {}) => {
    const files = site();
    return {
      ...files,
      workspace: open(level, { root: files.ws, ...options }),
      at: (name: string) => join(files.ws, name),
    };
  };

  it("rejects reads beyond maxReadBytes, and names a fix", async () => {
    const { workspace, put } = start({ maxReadBytes: 4 });
    put("ws/a", "12345");
    const error = await catchFailure(workspace.fs.read("a"));
    expect(error.code).toBe("FILE_TOO_LARGE");
    expect(error.fix).toContain("offset");
    expect(await workspace.fs.read("a", { length: 4 })).toMatchObject({ bytes: Buffer.from("1234") });
    expect((await workspace.fs.read("a", { into: new Uint8Array(5) })).bytes.length).toBe(5);
  });

  it("reads every byte of large files in slices, without blocking the event loop", async () => {
    const { workspace, at } = start();
    const content = Buffer.alloc(SLICE_BYTES * 3 + 17, "0123456789abcde");
    writeFileSync(at("big"), content);
    let turns = 0;
    const ticker = setInterval(() => (turns += 1), 0);
    const { bytes: read } = await workspace.fs.read("big", { offset: 1 });
    clearInterval(ticker);
    expect(Buffer.compare(read, content.subarray(1))).toBe(0);
    expect(turns).toBeGreaterThan(0);
  });

  it("reads files that report a size of 0", async () => {
    const { base } = start();
    const whole = open(level, { root: base, workspaceOnly: false });
    expect(await readText(whole, "/proc/self/stat")).toContain(String(process.pid));
  });

  it("stops between slices after an abort, and at once if already aborted", async () => {
    const { workspace, at } = start();
    writeFileSync(at("big"), Buffer.alloc(SLICE_BYTES * 4));
    expect(await catchErrorCode(workspace.fs.read("big", { signal: AbortSignal.abort() }))).toBe("ABORTED");
    const controller = new AbortController();
    const call = workspace.fs.read("big", { signal: controller.signal });
    controller.abort();
    expect(await catchErrorCode(call)).toBe("ABORTED");
  });

  it("finds a replaced root again, and reports a missing root", async () => {
    const { workspace, put, ws, base } = start();
    put("ws/dir/a", "one");
    expect(await readText(workspace, "dir/a")).toBe("one");
    renameSync(ws, join(base, "moved"));
    expect(await catchErrorCode(workspace.fs.read("dir/a"))).toBe("PATH_CHANGED");
    put("ws/dir/a", "two");
    expect(await readText(workspace, "dir/a")).toBe("two");
  });

  it("creates a new file with the mode of the umask, or the exact requested mode", async () => {
    const { workspace, at } = start();
    await workspace.fs.write("plain", bytes(""));
    await workspace.fs.write("open", bytes(""), { permissions: 0o777 });
    writeFileSync(at("reference"), "");
    expect(statSync(at("plain")).mode).toBe(statSync(at("reference")).mode);
    expect(statSync(at("open")).mode & 0o777).toBe(0o777);
  });

  it("keeps the mode of a replaced file, but not set-user-id", async () => {
    const { workspace, put } = start();
    const file = put("ws/run.sh", "old");
    chmodSync(file, 0o4751);
    await workspace.fs.write("run.sh", bytes("new"), { permissions: 0o600 });
    expect(statSync(file).mode & 0o7777).toBe(0o751);
  });

  it("shows readers only the old or the new bytes", async () => {
    const { workspace, put } = start();
    put("ws/a", "old");
    const open = await workspace.fs.read("a");
    await workspace.fs.write("a", bytes("newer"));
    expect(Buffer.from(open.bytes).toString()).toBe("old");
    expect(await readText(workspace, "a")).toBe("newer");
  });

  it("detects a change during a write", async () => {
    const { workspace, put, at } = start();
    put("ws/a", "one");
    const { version } = (await workspace.fs.stat("a"))!;
    const call = workspace.fs.write("a", Buffer.alloc(SLICE_BYTES * 2), { ifMatch: version });
    writeFileSync(at("a"), "somebody else's");
    const fresh = workspace.fs.write("new", Buffer.alloc(SLICE_BYTES * 2), { ifMatch: null });
    writeFileSync(at("new"), "somebody else's");
    expect(await Promise.all([catchErrorCode(call), catchErrorCode(fresh)])).toEqual([
      "FILE_CHANGED",
      "FILE_CHANGED",
    ]);
    expect(readFileSync(at("a"), "utf8")).toBe("somebody else's");
    expect(readFileSync(at("new"), "utf8")).toBe("somebody else's");
    expect(leftovers(at("."))).toEqual([]);
  });

  it("append never changes a file with several names", async () => {
    const { workspace, put, outside, at } = start({ hardLinks: "allow" });
    linkSync(put("outside/a", "kept"), at("alias"));
    expect(await catchErrorCode(workspace.fs.append("alias", bytes("x")))).toBe("HARD_LINKED");
    expect(readFileSync(join(outside, "a"), "utf8")).toBe("kept");
  });

  it("rejects changes of the root, and folder spellings of files", async () => {
    const { workspace, put, at } = start();
    put("ws/file");
    put("ws/full/x");
    symlinkSync("full", at("link"));
    expect(await catchErrorCode(workspace.fs.read("."))).toBe("IS_DIRECTORY");
    expect(await catchErrorCode(workspace.fs.write(".", bytes("x")))).toBe("IS_DIRECTORY");
    expect(await workspace.fs.mkdirp(".")).toEqual([]);
    expect(await catchErrorCode(workspace.fs.mkdirp("file"))).toBe("NOT_A_DIRECTORY");
    expect(await catchErrorCode(workspace.fs.remove("none/.."))).toBe("FILE_NOT_FOUND");
    for (const path of ["file/", "link/"])
      expect(await catchErrorCode(workspace.fs.remove(path))).toBe("NOT_A_DIRECTORY");
    expect(await catchErrorCode(workspace.fs.rename(".", "b"))).toBe("READ_ONLY");
    mkdirSync(at("dir"));
    await workspace.fs.rename("dir", "moved/");
    expect(await catchErrorCode(workspace.fs.rename("full", "file", { replace: true }))).toBe(
      "NOT_A_DIRECTORY",
    );
    expect(await catchErrorCode(workspace.fs.rename("moved", "full", { replace: true }))).toBe("FILE_EXISTS");
  });
});
