import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SLICE_BYTES } from "../../src/files/read-file.ts";
import { codeOf, failureOf, LEVELS, open, readText, site } from "../support.ts";

describe.each(LEVELS)("files held by $level", (level) => {
  const start = (options = {}) => {
    const place = site();
    return {
      ...place,
      workspace: open(level, { root: place.ws, ...options }),
      at: (name: string) => join(place.ws, name),
    };
  };

  describe("read", () => {
    it("answers bytes and the stat that belongs to them", async () => {
      const { workspace, put } = start();
      put("ws/src/a.txt", "hello");
      const { bytes: read, stat } = await workspace.fs.read("src/a.txt");
      expect(new TextDecoder().decode(read)).toBe("hello");
      expect(stat).toMatchObject({ type: "file", size: 5, links: 1, mode: 0o644 });
      expect(stat).toEqual(await workspace.fs.stat("src/a.txt"));
    });

    it("honours offset, length and a buffer of the caller", async () => {
      const { workspace, put } = start();
      put("ws/a", "0123456789");
      const read = async (options: object) =>
        Buffer.from((await workspace.fs.read("a", options)).bytes).toString();
      expect(await read({ offset: 3 })).toBe("3456789");
      expect(await read({ offset: 3, length: 2 })).toBe("34");
      expect(await read({ offset: 8, length: 9 })).toBe("89");
      expect(await read({ offset: 10 })).toBe("");
      expect(await read({ offset: 99 })).toBe("");
      const into = new Uint8Array(4);
      const { bytes: view } = await workspace.fs.read("a", { into, offset: 1 });
      expect(view.buffer).toBe(into.buffer);
      expect(Buffer.from(view).toString()).toBe("1234");
    });

    it("refuses more than maxReadBytes, and says what to do", async () => {
      const { workspace, put } = start({ maxReadBytes: 4 });
      put("ws/a", "12345");
      const error = await failureOf(workspace.fs.read("a"));
      expect(error.code).toBe("FILE_TOO_LARGE");
      expect(error.fix).toContain("offset");
      expect(await workspace.fs.read("a", { length: 4 })).toMatchObject({ bytes: Buffer.from("1234") });
      expect((await workspace.fs.read("a", { into: new Uint8Array(5) })).bytes.length).toBe(5);
    });

    it("reads large files in slices, every byte, without stopping the event loop", async () => {
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

    it("reads files that claim to be empty", async () => {
      const { base } = start();
      const whole = open(level, { root: base, workspaceOnly: false });
      expect(await readText(whole, "/proc/self/stat")).toContain(String(process.pid));
    });

    it("stops between slices when it is aborted, and at once when it already was", async () => {
      const { workspace, at } = start();
      writeFileSync(at("big"), Buffer.alloc(SLICE_BYTES * 4));
      expect(await codeOf(workspace.fs.read("big", { signal: AbortSignal.abort() }))).toBe("ABORTED");
      const controller = new AbortController();
      const call = workspace.fs.read("big", { signal: controller.signal });
      controller.abort();
      expect(await codeOf(call)).toBe("ABORTED");
    });

    it.each([
      ["nothing", "none", "FILE_NOT_FOUND"],
      ["a folder", "dir", "IS_DIRECTORY"],
      ["the root", ".", "IS_DIRECTORY"],
      ["below a file", "file/x", "NOT_A_DIRECTORY"],
      ["a file spelled as a folder", "file/", "NOT_A_DIRECTORY"],
      ["up from what is not there", "none/../file", "FILE_NOT_FOUND"],
      ["a name no disk can hold", "x".repeat(256), "INVALID_PATH"],
      ["a path of 5,000 bytes", "d/".repeat(2500), "INVALID_PATH"],
    ])("explains %s", async (_, path, code) => {
      const { workspace, put, at } = start();
      put("ws/file");
      mkdirSync(at("dir"));
      const error = await failureOf(workspace.fs.read(path));
      expect(error.code).toBe(code);
      expect(error.details).toMatchObject({ path });
      expect(error.message).not.toContain("/proc/");
    });
  });

  describe("list", () => {
    it("names entries with their types, at most as many as asked for", async () => {
      const { workspace, put, at } = start();
      put("ws/dir/file");
      symlinkSync("file", at("dir/link"));
      mkdirSync(at("dir/sub"));
      const { entries, truncated } = await workspace.fs.list("dir");
      expect(entries.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
        { name: "file", type: "file" },
        { name: "link", type: "symlink" },
        { name: "sub", type: "directory" },
      ]);
      expect(truncated).toBe(false);
      expect(await workspace.fs.list("dir", { limit: 2 })).toMatchObject({
        truncated: true,
        entries: { length: 2 },
      });
      expect((await workspace.fs.list("dir", { limit: 3 })).truncated).toBe(false);
    });

    it("explains what is no folder", async () => {
      const { workspace, put } = start();
      put("ws/file");
      expect(await codeOf(workspace.fs.list("file"))).toBe("NOT_A_DIRECTORY");
      expect(await codeOf(workspace.fs.list("none"))).toBe("FILE_NOT_FOUND");
    });
  });

  describe("stat and realpath", () => {
    it("answer undefined for what is not there", async () => {
      const { workspace, put, at } = start();
      put("ws/file");
      symlinkSync("none", at("dangling"));
      for (const path of ["none", "none/x", "file/x", "dangling", "none/../x"]) {
        expect(await workspace.fs.stat(path)).toBeUndefined();
      }
      expect(await workspace.fs.stat("dangling", { follow: false })).toMatchObject({ type: "symlink" });
    });

    it("resolve links, and names that are still missing", async () => {
      const { workspace, put, at, ws } = start();
      put("ws/real/file");
      symlinkSync("real", at("link"));
      symlinkSync("real/new", at("dangling"));
      expect(await workspace.fs.realpath("link/file")).toBe(at("real/file"));
      expect(await workspace.fs.realpath("link/none")).toBe(at("real/none"));
      expect(await workspace.fs.realpath("link/a/b")).toBe(at("real/a/b"));
      expect(await workspace.fs.realpath("dangling")).toBe(at("real/new"));
      expect(await workspace.fs.realpath("link/..")).toBe(ws);
    });
  });

  it("finds the root again after it was replaced, and says so while it is gone", async () => {
    const { workspace, put, ws, base } = start();
    put("ws/dir/a", "one");
    expect(await readText(workspace, "dir/a")).toBe("one");
    renameSync(ws, join(base, "moved"));
    expect(await codeOf(workspace.fs.read("dir/a"))).toBe("PATH_CHANGED");
    put("ws/dir/a", "two");
    expect(await readText(workspace, "dir/a")).toBe("two");
  });
});
