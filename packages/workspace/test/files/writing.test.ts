import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SLICE_BYTES } from "../../src/files/read-file.ts";
import {
  bytes,
  codeOf,
  codeOfThrown,
  failureOf,
  leftovers,
  LEVELS,
  open,
  readText,
  site,
} from "../support.ts";

describe.each(LEVELS)("files held by $level", (level) => {
  const start = (options = {}) => {
    const place = site();
    return {
      ...place,
      workspace: open(level, { root: place.ws, ...options }),
      at: (name: string) => join(place.ws, name),
    };
  };

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
        workspace.fs
          .write("one", Buffer.alloc(SLICE_BYTES + 1, index), { mode: "create" })
          .then(() => "made", codeOfThrown),
      );
      const outcomes = await Promise.all(calls);
      expect(outcomes.filter((outcome) => outcome === "made")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "FILE_EXISTS")).toHaveLength(7);
      expect(leftovers(at("."))).toEqual([]);
    });

    it("ifMatch refuses a file that changed, vanished or appeared", async () => {
      const { workspace, put, at } = start();
      put("ws/a", "one");
      const { version } = (await workspace.fs.stat("a"))!;
      await workspace.fs.write("a", bytes("two"), { ifMatch: version });
      expect(await codeOf(workspace.fs.write("a", bytes("three"), { ifMatch: version }))).toBe(
        "FILE_CHANGED",
      );
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
      expect(readdirSync(at("."))).toEqual(["dir", "file"]);
      expect(readdirSync(at("dir"))).toEqual([]);
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
});
