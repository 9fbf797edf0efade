import { chmodSync, linkSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SLICE_BYTES } from "../src/read-file.ts";
import { bytes, codeOf, failureOf, leftovers, LEVELS, open, readText, site } from "./support.ts";

describe.each(LEVELS)("files held by $level", (level) => {
  const start = (options = {}) => {
    const place = site();
    return { ...place, workspace: open(level, { root: place.ws, ...options }), at: (name: string) => join(place.ws, name) };
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
      const read = async (options: object) => Buffer.from((await workspace.fs.read("a", options)).bytes).toString();
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

  describe("write", () => {
    it("creates with parents, replaces, and says which it was", async () => {
      const { workspace, at } = start();
      const first = await workspace.fs.write("a/b/c.txt", bytes("one"));
      const second = await workspace.fs.write("a/b/c.txt", bytes(""));
      expect([first.created, second.created]).toEqual([true, false]);
      expect(second.stat).toEqual(await workspace.fs.stat("a/b/c.txt"));
      expect(second.stat.version).not.toBe(first.stat.version);
      expect(readFileSync(at("a/b/c.txt"), "utf8")).toBe("");
      expect(leftovers(at("."))).toEqual([]);
    });

    it("gives a new file the mode of the umask, or exactly the one asked for", async () => {
      const { workspace, at } = start();
      await workspace.fs.write("plain", bytes(""));
      await workspace.fs.write("open", bytes(""), { permissions: 0o777 });
      writeFileSync(at("reference"), "");
      expect(statSync(at("plain")).mode).toBe(statSync(at("reference")).mode);
      expect(statSync(at("open")).mode & 0o777).toBe(0o777);
    });

    it("keeps the mode of what it replaces, but no set-user-id", async () => {
      const { workspace, put } = start();
      const file = put("ws/run.sh", "old");
      chmodSync(file, 0o4751);
      await workspace.fs.write("run.sh", bytes("new"), { permissions: 0o600 });
      expect(statSync(file).mode & 0o7777).toBe(0o751);
    });

    it("never shows a reader anything but the old or the new bytes", async () => {
      const { workspace, put } = start();
      put("ws/a", "old");
      const open = await workspace.fs.read("a");
      await workspace.fs.write("a", bytes("newer"));
      expect(Buffer.from(open.bytes).toString()).toBe("old");
      expect(await readText(workspace, "a")).toBe("newer");
    });

    it("create refuses whatever is there, a dangling link too", async () => {
      const { workspace, put, at } = start();
      put("ws/file", "kept");
      mkdirSync(at("dir"));
      symlinkSync("nowhere", at("link"));
      expect(await codeOf(workspace.fs.write("file", bytes("x"), { mode: "create" }))).toBe("FILE_EXISTS");
      expect(await codeOf(workspace.fs.write("dir", bytes("x"), { mode: "create" }))).toBe("IS_DIRECTORY");
      expect(await codeOf(workspace.fs.write("link", bytes("x"), { mode: "create" }))).toBe("FILE_EXISTS");
      expect((await workspace.fs.write("new", bytes("x"), { mode: "create" })).stat.links).toBe(1);
      expect(readFileSync(at("file"), "utf8")).toBe("kept");
      expect(readdirSync(at(".")).toSorted()).toEqual(["dir", "file", "link", "new"]);
    });

    it("of many creators at once exactly one succeeds", async () => {
      const { workspace, at } = start();
      const calls = Array.from({ length: 8 }, (_, index) =>
        workspace.fs.write("one", Buffer.alloc(SLICE_BYTES + 1, index), { mode: "create" }).then(() => "made", (e) => e.code),
      );
      expect((await Promise.all(calls)).toSorted()).toEqual([...Array.from({ length: 7 }, () => "FILE_EXISTS"), "made"]);
      expect(leftovers(at("."))).toEqual([]);
    });

    it("ifMatch refuses a file that changed, vanished or appeared", async () => {
      const { workspace, put, at } = start();
      put("ws/a", "one");
      const { version } = (await workspace.fs.stat("a"))!;
      await workspace.fs.write("a", bytes("two"), { ifMatch: version });
      expect(await codeOf(workspace.fs.write("a", bytes("three"), { ifMatch: version }))).toBe("FILE_CHANGED");
      expect(await codeOf(workspace.fs.write("b", bytes("x"), { ifMatch: version }))).toBe("FILE_CHANGED");
      expect(await codeOf(workspace.fs.write("a", bytes("x"), { ifMatch: null }))).toBe("FILE_CHANGED");
      expect((await workspace.fs.write("b", bytes("x"), { ifMatch: null })).created).toBe(true);
      expect(readFileSync(at("a"), "utf8")).toBe("two");
    });

    it("notices a change that happens while it is writing", async () => {
      const { workspace, put, at } = start();
      put("ws/a", "one");
      const { version } = (await workspace.fs.stat("a"))!;
      const call = workspace.fs.write("a", Buffer.alloc(SLICE_BYTES * 2), { ifMatch: version });
      writeFileSync(at("a"), "somebody else's");
      const fresh = workspace.fs.write("new", Buffer.alloc(SLICE_BYTES * 2), { ifMatch: null });
      writeFileSync(at("new"), "somebody else's");
      expect(await Promise.all([codeOf(call), codeOf(fresh)])).toEqual(["FILE_CHANGED", "FILE_CHANGED"]);
      expect(readFileSync(at("a"), "utf8")).toBe("somebody else's");
      expect(readFileSync(at("new"), "utf8")).toBe("somebody else's");
      expect(leftovers(at("."))).toEqual([]);
    });

    it("leaves nothing behind when it is aborted", async () => {
      const { workspace, at } = start();
      const controller = new AbortController();
      const call = workspace.fs.write("a/b/c", Buffer.alloc(SLICE_BYTES * 4), { signal: controller.signal });
      await sleep(0);
      controller.abort();
      const error = await failureOf(call);
      expect([error.code, error.receipt]).toEqual(["ABORTED", "none"]);
      expect(readdirSync(at("."))).toEqual([]);
    });

    it("writes large files whole", async () => {
      const { workspace, at } = start();
      const content = Buffer.alloc(SLICE_BYTES * 2 + 5, "haft!");
      await workspace.fs.write("big", content, { durable: true });
      expect(Buffer.compare(readFileSync(at("big")), content)).toBe(0);
    });

    it("flushes when durable, with new folders", async () => {
      const { workspace } = start();
      await workspace.fs.write("x/y/z", bytes("safe"), { durable: true });
      expect(await readText(workspace, "x/y/z")).toBe("safe");
    });

    it.each([
      ["a folder", "dir", "IS_DIRECTORY"],
      ["the root", ".", "IS_DIRECTORY"],
      ["a name spelled as a folder", "new/", "IS_DIRECTORY"],
      ["below a file", "file/x", "NOT_A_DIRECTORY"],
      ["deep below a file", "file/x/y/z", "NOT_A_DIRECTORY"],
      ["up from what is not there", "none/../x", "FILE_NOT_FOUND"],
      ["a name no disk can hold", `fresh/${"x".repeat(256)}`, "INVALID_PATH"],
    ])("refuses %s and leaves the disk as it was", async (_, path, code) => {
      const { workspace, put, at } = start();
      put("ws/file", "kept");
      mkdirSync(at("dir"));
      expect(await codeOf(workspace.fs.write(path, bytes("x")))).toBe(code);
      expect(readdirSync(at("."), { recursive: true }).toSorted()).toEqual(["dir", "file"]);
    });

    it("without parents, refuses a missing folder", async () => {
      const { workspace } = start();
      expect(await codeOf(workspace.fs.write("a/b", bytes("x"), { parents: false }))).toBe("FILE_NOT_FOUND");
    });

    it("takes names of 255 bytes", async () => {
      const { workspace } = start();
      const name = "ä".repeat(127) + "x";
      await workspace.fs.write(`${name}/${name}`, bytes("long"));
      expect(await readText(workspace, `${name}/${name}`)).toBe("long");
    });
  });

  describe("append", () => {
    it("creates, then adds", async () => {
      const { workspace } = start();
      expect((await workspace.fs.append("log/a", bytes("one "))).created).toBe(true);
      const second = await workspace.fs.append("log/a", bytes("two"));
      expect(second).toMatchObject({ created: false, stat: { size: 7 } });
      expect(await readText(workspace, "log/a")).toBe("one two");
    });

    it("loses nothing when many append at once", async () => {
      const { workspace } = start();
      await Promise.all(Array.from({ length: 20 }, (_, index) => workspace.fs.append("log", bytes(`${index};`))));
      expect((await readText(workspace, "log")).split(";").length).toBe(21);
    });

    it("never changes a file that has another name", async () => {
      const { workspace, put, outside, at } = start({ hardLinks: "allow" });
      const file = put("outside/a", "kept");
      linkSync(file, at("alias"));
      expect(await codeOf(workspace.fs.append("alias", bytes("x")))).toBe("HARD_LINKED");
      expect(readFileSync(join(outside, "a"), "utf8")).toBe("kept");
    });
  });

  describe("mkdirp", () => {
    it("answers the folders it made, outermost first", async () => {
      const { workspace, at } = start();
      mkdirSync(at("a"));
      expect(await workspace.fs.mkdirp("a/b/c")).toEqual([at("a/b"), at("a/b/c")]);
      expect(await workspace.fs.mkdirp("a/b/c/")).toEqual([]);
      expect(await workspace.fs.mkdirp("new/")).toEqual([at("new")]);
      expect(await workspace.fs.mkdirp(".")).toEqual([]);
    });

    it("removes what it made when it cannot go on", async () => {
      const { workspace, put, at } = start();
      put("ws/file");
      expect(await codeOf(workspace.fs.mkdirp(`a/b/${"x".repeat(300)}`))).toBe("INVALID_PATH");
      expect(await codeOf(workspace.fs.mkdirp("file"))).toBe("NOT_A_DIRECTORY");
      expect(await codeOf(workspace.fs.mkdirp("file/x"))).toBe("NOT_A_DIRECTORY");
      expect(readdirSync(at("."))).toEqual(["file"]);
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
      expect(await workspace.fs.list("dir", { limit: 2 })).toMatchObject({ truncated: true, entries: { length: 2 } });
      expect((await workspace.fs.list("dir", { limit: 3 })).truncated).toBe(false);
    });

    it("explains what is no folder", async () => {
      const { workspace, put } = start();
      put("ws/file");
      expect(await codeOf(workspace.fs.list("file"))).toBe("NOT_A_DIRECTORY");
      expect(await codeOf(workspace.fs.list("none"))).toBe("FILE_NOT_FOUND");
    });
  });

  describe("remove", () => {
    it("removes files, links and empty folders, and nothing else", async () => {
      const { workspace, put, at } = start();
      put("ws/file", "kept");
      put("ws/full/x");
      mkdirSync(at("empty"));
      symlinkSync("file", at("link"));
      symlinkSync("full", at("folder-link"));
      expect(await codeOf(workspace.fs.remove("full"))).toBe("NOT_EMPTY");
      expect(await codeOf(workspace.fs.remove("none"))).toBe("FILE_NOT_FOUND");
      expect(await codeOf(workspace.fs.remove("file/"))).toBe("NOT_A_DIRECTORY");
      expect(await codeOf(workspace.fs.remove("folder-link/"))).toBe("NOT_A_DIRECTORY");
      for (const path of ["link", "folder-link", "empty/"]) await workspace.fs.remove(path);
      expect(readdirSync(at(".")).toSorted()).toEqual(["file", "full"]);
    });

    it("removes only the expected version, and never a root", async () => {
      const { workspace, put } = start();
      put("ws/file");
      const { version } = (await workspace.fs.stat("file"))!;
      await workspace.fs.append("file", bytes("x"));
      expect(await codeOf(workspace.fs.remove("file", { ifMatch: version }))).toBe("FILE_CHANGED");
      expect(await codeOf(workspace.fs.remove("."))).toBe("ROOT_PINNED");
      expect(await codeOf(workspace.fs.remove("none/.."))).toBe("FILE_NOT_FOUND");
    });
  });

  describe("rename", () => {
    it("moves files, folders and links themselves", async () => {
      const { workspace, put, at } = start();
      put("ws/a", "A");
      put("ws/dir/x", "X");
      symlinkSync("a", at("link"));
      await workspace.fs.rename("a", "b");
      await workspace.fs.rename("dir", "folder/");
      await workspace.fs.rename("link", "folder/link");
      expect(await readText(workspace, "b")).toBe("A");
      expect(await readText(workspace, "folder/x")).toBe("X");
      expect(await workspace.fs.stat("folder/link", { follow: false })).toMatchObject({ type: "symlink" });
      expect((await workspace.fs.stat("b"))!.links).toBe(1);
    });

    it("overwrites only on purpose", async () => {
      const { workspace, put, at } = start();
      put("ws/a", "A");
      put("ws/b", "B");
      put("ws/dir/x");
      mkdirSync(at("empty"));
      expect(await codeOf(workspace.fs.rename("a", "b"))).toBe("FILE_EXISTS");
      expect(await codeOf(workspace.fs.rename("dir", "empty"))).toBe("FILE_EXISTS");
      expect(await codeOf(workspace.fs.rename("empty", "dir", { replace: true }))).toBe("FILE_EXISTS");
      expect(await codeOf(workspace.fs.rename("a", "dir", { replace: true }))).toBe("IS_DIRECTORY");
      expect(await codeOf(workspace.fs.rename("dir", "a", { replace: true }))).toBe("NOT_A_DIRECTORY");
      await workspace.fs.rename("a", "b", { replace: true });
      await workspace.fs.rename("dir", "empty", { replace: true });
      expect(readFileSync(at("b"), "utf8")).toBe("A");
      expect(readdirSync(at(".")).toSorted()).toEqual(["b", "empty"]);
    });

    it("explains what cannot be", async () => {
      const { workspace, put } = start();
      put("ws/dir/x");
      put("ws/a");
      const { version } = (await workspace.fs.stat("a"))!;
      await workspace.fs.append("a", bytes("x"));
      expect(await codeOf(workspace.fs.rename("none", "x"))).toBe("FILE_NOT_FOUND");
      expect(await codeOf(workspace.fs.rename("dir/x", "none/x"))).toBe("FILE_NOT_FOUND");
      expect(await codeOf(workspace.fs.rename("dir", "dir/sub"))).toBe("INVALID_PATH");
      expect(await codeOf(workspace.fs.rename("a", "b", { ifMatch: version }))).toBe("FILE_CHANGED");
      expect(await codeOf(workspace.fs.rename(".", "b"))).toBe("ROOT_PINNED");
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
