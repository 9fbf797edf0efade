import { linkSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bytes, codeOf, LEVELS, open, readText, site } from "../support.ts";

describe.each(LEVELS)("files held by $level", (level) => {
  const start = (options = {}) => {
    const place = site();
    return {
      ...place,
      workspace: open(level, { root: place.ws, ...options }),
      at: (name: string) => join(place.ws, name),
    };
  };

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
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => workspace.fs.append("log", bytes(`${index};`))),
      );
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

  describe("remove", () => {
    it("removes files, links and empty folders, and nothing else", async () => {
      const { workspace, put, at } = start();
      put("ws/file", "kept");
      put("ws/full/x");
      mkdirSync(at("empty"));
      symlinkSync("file", at("link"));
      symlinkSync("full", at("folder-link"));
      expect(await codeOf(workspace.fs.remove("full"))).toBe("FILE_EXISTS");
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
      expect(await codeOf(workspace.fs.remove("."))).toBe("READ_ONLY");
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
      expect(await codeOf(workspace.fs.rename(".", "b"))).toBe("READ_ONLY");
    });
  });
});
