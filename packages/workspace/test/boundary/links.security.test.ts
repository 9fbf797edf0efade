import { chmodSync, linkSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  bytes,
  catchErrorCode,
  getErrorCode,
  catchFailure,
  LEVELS,
  open,
  readText,
  site,
} from "../support.ts";

describe.each(LEVELS)("links at level $level", (level) => {
  const start = (options = {}) => {
    const files = site();
    files.put("outside/secret", "SECRET");
    const workspace = open(level, { root: files.ws, homeDir: join(files.base, "home"), ...options });
    return { ...files, workspace, fs: workspace.fs, at: (name: string) => join(files.ws, name) };
  };
  describe("final links", () => {
    it("F2, F3: never follows a link out of the root, but removes and moves the link", async () => {
      const s = start();
      symlinkSync(join(s.outside, "secret"), s.at("link"));
      symlinkSync(join(s.outside, "new"), s.at("dangling"));
      for (const link of ["link", "dangling"]) {
        for (const call of [
          s.fs.read(link),
          s.fs.stat(link),
          s.fs.realpath(link),
          s.fs.list(link),
          s.fs.write(link, bytes("x")),
          s.fs.append(link, bytes("x")),
          s.fs.mkdirp(link),
        ]) {
          expect(await catchErrorCode(call)).toBe("OUTSIDE_WORKSPACE");
        }
        await s.fs.rename(link, `${link}-2`);
        await s.fs.remove(`${link}-2`);
      }
      expect(readdirSync(s.outside)).toEqual(["secret"]);
      expect(readdirSync(s.ws)).toEqual([]);
    });

    it("follows links inside the root, relative or absolute", async () => {
      const s = start();
      s.put("ws/real/file", "old");
      symlinkSync("../ws/real", s.at("out-and-in"));
      symlinkSync(s.at("real/file"), s.at("absolute"));
      symlinkSync("real/", s.at("slashed"));
      symlinkSync("real/new", s.at("dangling"));
      expect(await readText(s.workspace, "out-and-in/file")).toBe("old");
      expect(await readText(s.workspace, "slashed/file")).toBe("old");
      await s.fs.write("absolute", bytes("new"));
      await s.fs.write("dangling", bytes("made"));
      expect(readFileSync(s.at("real/file"), "utf8")).toBe("new");
      expect(readFileSync(s.at("real/new"), "utf8")).toBe("made");
      expect(await s.fs.stat("absolute", { follow: false })).toMatchObject({ type: "symlink" });
    });

    it("F6: resolves `..` after a link to the parent of the target", async () => {
      const s = start();
      s.put("ws/a/b/file", "by link");
      s.put("ws/file", "by text");
      s.put("ws/a/file", "right");
      symlinkSync("a/b", s.at("link"));
      expect(await readText(s.workspace, "link/../file")).toBe("right");
      expect(await readText(s.workspace, `${s.ws}/link/../file`)).toBe("right");
      expect(await s.fs.realpath("link/..")).toBe(s.at("a"));
    });

    it("rejects loops and endless chains", async () => {
      const s = start();
      s.put("ws/end", "end");
      symlinkSync("loop-b", s.at("loop-a"));
      symlinkSync("loop-a", s.at("loop-b"));
      symlinkSync("self/x", s.at("self"));
      for (let index = 0; index < 45; index += 1)
        symlinkSync(index === 0 ? "end" : `l${index - 1}`, s.at(`l${index}`));
      for (const path of ["loop-a", "loop-a/x", "self", "l44"]) {
        expect(await catchErrorCode(s.fs.read(path))).toBe("INVALID_PATH");
        expect(await catchErrorCode(s.fs.write(path, bytes("x")))).toBe("INVALID_PATH");
      }
      expect(await readText(s.workspace, "l39")).toBe("end");
    });
  });

  describe("F4: hard links", () => {
    it("to an outside file are not read, appended to or changed; a write breaks the link", async () => {
      const s = start();
      linkSync(join(s.outside, "secret"), s.at("alias"));
      expect(await catchErrorCode(s.fs.read("alias"))).toBe("HARD_LINKED");
      expect(await catchErrorCode(s.fs.append("alias", bytes("x")))).toBe("HARD_LINKED");
      expect(await s.fs.stat("alias")).toMatchObject({ links: 2 });
      await s.fs.write("alias", bytes("mine"));
      expect(await readText(s.workspace, "alias")).toBe("mine");
      expect(readFileSync(join(s.outside, "secret"), "utf8")).toBe("SECRET");
    });

    it("name the option that allows reading, and can be moved and removed", async () => {
      const s = start();
      linkSync(join(s.outside, "secret"), s.at("alias"));
      expect((await catchFailure(s.fs.read("alias"))).fix).toContain('`hardLinks: "allow"`');
      const { version } = (await s.fs.stat("alias"))!;
      await s.fs.rename("alias", "other", { ifMatch: version });
      await s.fs.remove("other");
      expect(readdirSync(s.ws)).toEqual([]);
      expect(readFileSync(join(s.outside, "secret"), "utf8")).toBe("SECRET");
    });

    it("of package managers are read if every user may read them, by default only", async () => {
      const s = start();
      mkdirSync(s.at("node_modules/pkg"), { recursive: true });
      linkSync(s.put("outside/store", "code"), s.at("node_modules/pkg/index.js"));
      const key = s.put("outside/key", "KEY");
      chmodSync(key, 0o640);
      linkSync(key, s.at("node_modules/pkg/key"));
      linkSync(join(s.outside, "store"), s.at("elsewhere"));
      const read = (hardLinks: "packages" | "refuse" | "allow", path: string) =>
        open(level, { root: s.ws, hardLinks })
          .fs.read(path)
          .then(() => "read", getErrorCode);
      expect(await read("packages", "node_modules/pkg/index.js")).toBe("read");
      expect(await read("packages", "node_modules/pkg/key")).toBe("HARD_LINKED");
      expect(await read("packages", "elsewhere")).toBe("HARD_LINKED");
      expect(await read("refuse", "node_modules/pkg/index.js")).toBe("HARD_LINKED");
      expect(await read("allow", "elsewhere")).toBe("read");
    });

    it("ignore a node_modules folder above the root", async () => {
      const s = start();
      s.put("node_modules/app/x");
      linkSync(join(s.outside, "secret"), join(s.base, "node_modules/app/alias"));
      const inner = open(level, { root: join(s.base, "node_modules/app") });
      expect(await catchErrorCode(inner.fs.read("alias"))).toBe("HARD_LINKED");
    });
  });
});
