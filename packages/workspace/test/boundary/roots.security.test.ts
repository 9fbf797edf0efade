import { existsSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bytes, catchErrorCode, LEVELS, open, readText, site } from "../support.ts";

describe.each(LEVELS)("roots at level $level", (level) => {
  const start = (options = {}) => {
    const files = site();
    files.put("outside/secret", "SECRET");
    const workspace = open(level, { root: files.ws, homeDir: join(files.base, "home"), ...options });
    return { ...files, workspace, fs: workspace.fs, at: (name: string) => join(files.ws, name) };
  };
  describe("roots", () => {
    it("are addressed by name or absolute path, and keep their access", async () => {
      const s = start();
      s.put("docs/guide.md", "guide");
      s.put("shared/x", "x");
      const roots = {
        docs: { path: join(s.base, "docs"), access: "ro" as const },
        shared: { path: join(s.base, "shared"), access: "rw" as const },
      };
      const workspace = open(level, { root: s.ws, roots });
      expect(await readText(workspace, "docs:guide.md")).toBe("guide");
      expect(await readText(workspace, "docs:/guide.md")).toBe("guide");
      expect(await readText(workspace, join(s.base, "docs/guide.md"))).toBe("guide");
      expect(await readText(workspace, "../docs/guide.md")).toBe("guide");
      const { fs } = workspace;
      for (const change of [
        fs.write("docs:guide.md", bytes("x")),
        fs.write("docs:new", bytes("x"), { mode: "create" }),
        fs.append("docs:guide.md", bytes("x")),
        fs.remove("docs:guide.md"),
        fs.rename("docs:guide.md", "loot"),
        fs.rename("shared:x", "docs:x"),
      ]) {
        expect(await catchErrorCode(change)).toBe("READ_ONLY");
      }
      expect(await catchErrorCode(fs.read("docs:../outside/secret"))).toBe("OUTSIDE_WORKSPACE");
      expect(await catchErrorCode(workspace.fs.mkdirp("docs:new"))).toBe("READ_ONLY");
      await workspace.fs.write("shared:new", bytes("y"));
      expect(workspace.describe()).toMatchObject({ cwd: s.ws, target: "host", boundary: level.level });
      expect(workspace.describe().mounts.map(({ name, access }) => `${name}:${access}`)).toEqual([
        ":rw",
        "docs:ro",
        "shared:rw",
      ]);
    });

    it("are nested: the innermost decides, under any name of the outer root", async () => {
      const s = start();
      s.put("ws/vendor/lib", "lib");
      s.put("ws/vendor/patches/p", "p");
      symlinkSync("vendor", s.at("alias"));
      const workspace = open(level, {
        root: s.ws,
        roots: {
          vendor: { path: s.at("vendor"), access: "ro" },
          patches: { path: s.at("vendor/patches"), access: "rw" },
        },
      });
      for (const path of [
        "vendor/lib",
        "alias/lib",
        "vendor:lib",
        `${s.ws}/vendor/lib`,
        "alias/../vendor/lib",
      ]) {
        expect(await catchErrorCode(workspace.fs.write(path, bytes("x")))).toBe("READ_ONLY");
        expect(await catchErrorCode(workspace.fs.remove(path))).toBe("READ_ONLY");
      }
      await workspace.fs.write("vendor/patches/p", bytes("q"));
      await workspace.fs.write("free", bytes("x"));
      expect(await catchErrorCode(workspace.fs.rename("vendor", "gone"))).toBe("READ_ONLY");
      expect(await catchErrorCode(workspace.fs.remove("vendor"))).toBe("READ_ONLY");
      expect(await catchErrorCode(workspace.fs.rename("free", "vendor", { replace: true }))).toBe(
        "READ_ONLY",
      );
    });

    it("that contain links resolve to the real folder", async () => {
      const s = start();
      s.put("ws/file", "x");
      symlinkSync(s.ws, join(s.base, "shortcut"));
      const workspace = open(level, { root: join(s.base, "shortcut") });
      expect(workspace.describe().cwd).toBe(s.ws);
      for (const path of ["file", join(s.base, "shortcut/file"), join(s.ws, "file")]) {
        expect(await workspace.fs.realpath(path)).toBe(s.at("file"));
      }
      expect(await catchErrorCode(workspace.fs.read(join(s.base, "shortcut/../outside/secret")))).toBe(
        "OUTSIDE_WORKSPACE",
      );
    });

    it("that are replaced by a link are not followed", async () => {
      const s = start();
      s.put("ws/vendor/secret", "mine");
      const workspace = open(level, {
        root: s.ws,
        roots: { vendor: { path: s.at("vendor"), access: "ro" } },
      });
      expect(await readText(workspace, "vendor:secret")).toBe("mine");
      renameSync(s.at("vendor"), s.at("moved"));
      symlinkSync(s.outside, s.at("vendor"));
      expect(await catchErrorCode(workspace.fs.read("vendor:secret"))).toBe("PATH_CHANGED");
      expect(await catchErrorCode(workspace.fs.read("vendor/secret"))).toMatch(
        /PATH_CHANGED|OUTSIDE_WORKSPACE/,
      );
    });

    it.each([
      ["missing", { root: "/nonexistent-haft" }],
      ["a file", { root: import.meta.filename }],
      ["badly named", { root: "/tmp", roots: { "a b": { path: "/tmp", access: "ro" as const } } }],
      ["named like a drive", { root: "/tmp", roots: { c: { path: "/tmp", access: "rw" as const } } }],
      ["in contradiction", { root: "/tmp", roots: { tmp: { path: "/tmp", access: "ro" as const } } }],
    ])("that are %s are rejected at once", (_, options) => {
      expect(() => open(level, options)).toThrow(expect.objectContaining({ code: "ROOT_INVALID" }));
    });
  });

  describe("F14: workspaceOnly", () => {
    it("false allows every operation outside the roots", async () => {
      const s = start();
      const whole = open(level, { root: s.ws, workspaceOnly: false });
      expect(whole.describe().boundary).toBe("none");
      expect(await readText(whole, "../outside/secret")).toBe("SECRET");
      await whole.fs.write(join(s.outside, "new"), bytes("x"));
      await whole.fs.append("../outside/new", bytes("y"));
      await whole.fs.mkdirp("../outside/dir");
      await whole.fs.rename("../outside/new", "../outside/dir/new");
      expect((await whole.fs.list("../outside/dir")).entries.map(({ name }) => name)).toEqual(["new"]);
      await whole.fs.remove("../outside/dir/new");
      expect(existsSync(join(s.outside, "dir/new"))).toBe(false);
    });

    it("false still denies credentials, devices and writes to read-only roots", async () => {
      const s = start();
      s.put("home/.ssh/id_rsa", "KEY");
      const whole = open(level, {
        root: s.ws,
        homeDir: join(s.base, "home"),
        workspaceOnly: false,
        roots: { docs: { path: s.outside, access: "ro" } },
      });
      expect(await catchErrorCode(whole.fs.read("~/.ssh/id_rsa"))).toBe("PATH_DENIED");
      expect(await catchErrorCode(whole.fs.read("/proc/self/environ"))).toBe("PATH_DENIED");
      expect(await catchErrorCode(whole.fs.read("/dev/zero"))).toBe("NOT_A_FILE");
      expect(await catchErrorCode(whole.fs.write("/dev/null", bytes("x")))).toBe("NOT_A_FILE");
      expect(await catchErrorCode(whole.fs.write(join(s.outside, "x"), bytes("x")))).toBe("READ_ONLY");
      expect(await catchErrorCode(whole.fs.rename(s.base, `${s.base}-2`))).toBe("READ_ONLY");
    });
  });

  it("denied files stay denied after renaming the folders of their pattern", async () => {
    const s = start({ deny: ["config/*.key"] });
    s.put("ws/config/a.key", "KEY");
    s.put("ws/.aws/credentials", "KEY");
    expect(await catchErrorCode(s.fs.rename("config", "other"))).toBe("READ_ONLY");
    expect(await catchErrorCode(s.fs.rename(".aws", "aws"))).toBe("READ_ONLY");
    s.put("ws/planted/x/credentials", "KEY");
    expect(await catchErrorCode(s.fs.rename("planted/x", "planted/.aws"))).toBe("READ_ONLY");
    expect(await catchErrorCode(s.fs.rename("config/a.key", "a"))).toBe("PATH_DENIED");
  });

  it("keeps the @ of an existing name", async () => {
    const s = start();
    s.put("ws/@types/x", "types");
    s.put("ws/src/x", "src");
    expect(await readText(s.workspace, "@types/x")).toBe("types");
    expect(await readText(s.workspace, "@src/x")).toBe("src");
  });

  it("keeps the @ of a new name, and writes to no other name", async () => {
    const s = start();
    s.put("ws/src/x", "src");
    await s.fs.write("@types/foo.d.ts", bytes("types"));
    await s.fs.write("@new.ts", bytes("new"));
    await s.fs.mkdirp("@scope");
    await s.fs.write("@src/y", bytes("mentioned"));
    expect(readdirSync(s.ws).toSorted()).toEqual(["@new.ts", "@scope", "@types", "src"]);
    expect(readdirSync(join(s.ws, "src")).toSorted()).toEqual(["x", "y"]);
    for (const path of ["@/etc/x", "@../x", "@~/x", "@file:///etc/x"])
      expect(await catchErrorCode(s.fs.write(path, bytes("x")))).toBe("OUTSIDE_WORKSPACE");
  });
});
