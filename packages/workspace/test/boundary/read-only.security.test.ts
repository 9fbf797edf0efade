import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bytes, catchErrorCode, catchFailure, LEVELS, open, readText, site } from "../support.ts";

describe.each(LEVELS)("read-only paths at level $level", (level) => {
  const start = (options = {}) => {
    const files = site();
    files.put("ws/.git/config", "[core]");
    files.put("ws/.git/hooks/pre-commit.sample", "#!/bin/sh");
    files.put("ws/src/a.ts", "a");
    const workspace = open(level, { root: files.ws, ...options });
    return { ...files, workspace, fs: workspace.fs };
  };

  it("allows reading and listing git's folder", async () => {
    const s = start();
    expect(await readText(s.workspace, ".git/config")).toBe("[core]");
    expect((await s.fs.list(".git/hooks")).entries).toHaveLength(1);
    expect(await s.fs.mkdirp(".git/hooks")).toEqual([]);
  });

  it("rejects writing, moving and creating files there, in any spelling", async () => {
    const s = start();
    s.put("ws/planted/config", "[core]\n\tfsmonitor = ./evil");
    symlinkSync(".git", join(s.ws, "link"));
    symlinkSync(".git/config", join(s.ws, "config-link"));
    for (const change of [
      s.fs.write(".git/hooks/pre-commit", bytes("evil")),
      s.fs.write(".git/config", bytes("evil")),
      s.fs.write(".GIT/config", bytes("evil")),
      s.fs.write("src/../.git/config", bytes("evil")),
      s.fs.write(join(s.ws, ".git/config"), bytes("evil")),
      s.fs.write("link/hooks/pre-commit", bytes("evil")),
      s.fs.write("config-link", bytes("evil")),
      s.fs.write(".git/modules/x/hooks/post-checkout", bytes("evil")),
      s.fs.write("src/.git", bytes("gitdir: ../planted")),
      s.fs.write("new/deep/.git/config", bytes("evil")),
      s.fs.append(".git/config", bytes("evil")),
      s.fs.append("config-link", bytes("evil")),
      s.fs.mkdirp("src/.git/hooks"),
      s.fs.remove(".git/config"),
      s.fs.rename(".git/config", "config"),
      s.fs.rename("src/a.ts", ".git/hooks/pre-commit"),
      s.fs.rename("planted", "src/.git"),
      s.fs.rename("planted/config", ".git/config", { replace: true }),
    ]) {
      expect(await catchErrorCode(change)).toBe("READ_ONLY");
    }
    expect((await catchFailure(s.fs.write(".git/config", bytes("")))).fix).toContain("`readOnly`");
    expect(readdirSync(join(s.ws, ".git")).toSorted()).toEqual(["config", "hooks"]);
    expect(await readText(s.workspace, ".git/config")).toBe("[core]");
    expect(existsSync(join(s.ws, "new"))).toBe(false);
  });

  it("allows moving a folder that contains a repository, and similar names", async () => {
    const s = start();
    s.put("ws/lib/.git/config", "[core]");
    await s.fs.rename("lib", "vendor");
    for (const path of [".gitignore", ".github/workflows/ci.yml", "src/x.git", ".gitmodules"])
      await s.fs.write(path, bytes("ok"));
    expect(readdirSync(join(s.ws, "vendor"))).toEqual([".git"]);
  });

  it("uses the operator's list: shorter, or with folders that then cannot be renamed", async () => {
    const s = start({ readOnly: ["src/generated/*.ts"] });
    s.put("ws/src/generated/x.ts", "x");
    await s.fs.write(".git/config", bytes("mine"));
    expect(await catchErrorCode(s.fs.write("src/generated/x.ts", bytes("y")))).toBe("READ_ONLY");
    expect(await catchErrorCode(s.fs.rename("src/generated", "elsewhere"))).toBe("READ_ONLY");
    expect(await readText(s.workspace, "src/generated/x.ts")).toBe("x");
  });
});
