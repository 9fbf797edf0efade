import { linkSync, mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync, existsSync, chmodSync } from "node:fs";
import { join } from "node:path";
import { fc, test } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { describe, expect, it } from "vitest";
import { bytes, codeOf, failureOf, LEVELS, open, readText, site } from "./support.ts";

describe.each(LEVELS)("the boundary held by $level", (level) => {
  const start = (options = {}) => {
    const place = site();
    place.put("outside/secret", "SECRET");
    const workspace = open(level, { root: place.ws, homeDir: join(place.base, "home"), ...options });
    return { ...place, workspace, fs: workspace.fs, at: (name: string) => join(place.ws, name) };
  };
  type Site = ReturnType<typeof start>;

  /** Every operation, each aimed at one path. */
  const operations: [string, (fs: Site["fs"], path: string) => Promise<unknown>][] = [
    ["read", (fs, path) => fs.read(path)],
    ["stat", (fs, path) => fs.stat(path)],
    ["realpath", (fs, path) => fs.realpath(path)],
    ["list", (fs, path) => fs.list(path)],
    ["write", (fs, path) => fs.write(path, bytes("x"))],
    ["create", (fs, path) => fs.write(path, bytes("x"), { mode: "create" })],
    ["append", (fs, path) => fs.append(path, bytes("x"))],
    ["mkdirp", (fs, path) => fs.mkdirp(path)],
    ["remove", (fs, path) => fs.remove(path)],
    ["rename away", (fs, path) => fs.rename(path, "loot")],
    ["rename onto", (fs, path) => fs.rename("inside", path, { replace: true })],
  ];

  describe.each(operations)("%s", (_, run) => {
    const untouched = ({ outside, base }: Site) => {
      expect(readdirSync(outside)).toEqual(["secret"]);
      expect(readFileSync(join(outside, "secret"), "utf8")).toBe("SECRET");
      expect(readdirSync(base).toSorted()).toEqual(["outside", "ws"]);
    };

    it.each([
      ["F1: up and out", () => "../outside/secret"],
      ["F1: up, in and out again", () => "../ws/../outside/secret"],
      ["F1: absolute", (s: Site) => join(s.outside, "secret")],
      ["F1: up to /", () => `${"../".repeat(40)}etc/hosts`],
      ["F5: absolute behind @", (s: Site) => `@${s.outside}/secret`],
      ["a file URL", (s: Site) => `file://${s.outside}/secret`],
      ["dots in a file URL", (s: Site) => `file://${s.ws}/%2e%2e/outside/secret`],
      ["home", () => "~/secret"],
      ["a neighbour that starts like the root", (s: Site) => `${s.ws}-2/x`],
      ["F1: below a link to a folder outside", () => "link/secret"],
      ["F1: deep below a link", () => "link/new/deep"],
      ["F3: below a link to a missing folder outside", () => "dangling/x"],
      ["F6: link/.. is the parent of the target", () => "link/../outside/secret"],
      ["F10: a chain of links, the last one out", () => "chain/secret"],
    ])("%s is refused without a trace", async (_name, path) => {
      const s = start();
      s.put("ws/inside", "inside");
      symlinkSync(s.outside, s.at("link"));
      symlinkSync(join(s.base, "nowhere"), s.at("dangling"));
      symlinkSync("hop", s.at("chain"));
      symlinkSync("../outside", s.at("hop"));
      const error = await failureOf(run(s.fs, path(s)));
      expect(error.code).toBe("OUTSIDE_WORKSPACE");
      expect(error.details).toEqual({ path: path(s) });
      untouched(s);
    });

    it("E25: the answer is the same whether anything exists out there or not", async () => {
      const s = start();
      s.put("ws/inside", "inside");
      symlinkSync(s.outside, s.at("link"));
      const report = async (path: string) => {
        const { code, message, fix, receipt } = await failureOf(run(s.fs, path));
        return { code, message: message.replace(JSON.stringify(path), "PATH"), fix, receipt };
      };
      expect(await report("link/secret")).toEqual(await report("link/nothing"));
      expect(await report("../outside/secret")).toEqual(await report("../nowhere/secret"));
      expect(await report("../outside/../ws/inside")).toEqual(await report("../nowhere/../ws/inside"));
    });

    it("a denied path is refused, through a link too", async () => {
      const s = start({ deny: ["private"] });
      s.put("ws/inside", "inside");
      s.put("ws/private/key", "KEY");
      symlinkSync("private", s.at("alias"));
      expect(await codeOf(run(s.fs, "private/key"))).toBe("PATH_DENIED");
      expect(await codeOf(run(s.fs, "PRIVATE/key"))).toBe("PATH_DENIED");
      expect(await codeOf(run(s.fs, "alias/key"))).toBe("PATH_DENIED");
      expect(await codeOf(run(s.fs, "private/none"))).toBe("PATH_DENIED");
      expect(readFileSync(s.at("private/key"), "utf8")).toBe("KEY");
    });
  });

  describe("final links", () => {
    it("F2, F3: a link out is never looked through, but can be removed and moved", async () => {
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
          expect(await codeOf(call)).toBe("OUTSIDE_WORKSPACE");
        }
        await s.fs.rename(link, `${link}-2`);
        await s.fs.remove(`${link}-2`);
      }
      expect(readdirSync(s.outside)).toEqual(["secret"]);
      expect(readdirSync(s.ws)).toEqual([]);
    });

    it("links that stay inside are followed, relative or absolute", async () => {
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

    it("F6: `..` is the parent of where the link leads, not of the link", async () => {
      const s = start();
      s.put("ws/a/b/file", "by link");
      s.put("ws/file", "by text");
      s.put("ws/a/file", "right");
      symlinkSync("a/b", s.at("link"));
      expect(await readText(s.workspace, "link/../file")).toBe("right");
      expect(await readText(s.workspace, `${s.ws}/link/../file`)).toBe("right");
      expect(await s.fs.realpath("link/..")).toBe(s.at("a"));
    });

    it("loops and chains end", async () => {
      const s = start();
      s.put("ws/end", "end");
      symlinkSync("loop-b", s.at("loop-a"));
      symlinkSync("loop-a", s.at("loop-b"));
      symlinkSync("self/x", s.at("self"));
      for (let index = 0; index < 45; index += 1) symlinkSync(index === 0 ? "end" : `l${index - 1}`, s.at(`l${index}`));
      for (const path of ["loop-a", "loop-a/x", "self", "l44"]) {
        expect(await codeOf(s.fs.read(path))).toBe("LINK_LOOP");
        expect(await codeOf(s.fs.write(path, bytes("x")))).toBe("LINK_LOOP");
      }
      expect(await readText(s.workspace, "l39")).toBe("end");
    });
  });

  describe("F4: hard links", () => {
    it("to a file outside are not read, appended to or changed; a write breaks the link", async () => {
      const s = start();
      linkSync(join(s.outside, "secret"), s.at("alias"));
      expect(await codeOf(s.fs.read("alias"))).toBe("HARD_LINKED");
      expect(await codeOf(s.fs.append("alias", bytes("x")))).toBe("HARD_LINKED");
      expect(await s.fs.stat("alias")).toMatchObject({ links: 2 });
      await s.fs.write("alias", bytes("mine"));
      expect(await readText(s.workspace, "alias")).toBe("mine");
      expect(readFileSync(join(s.outside, "secret"), "utf8")).toBe("SECRET");
    });

    it("of package managers are read when everybody may read them, by default only", async () => {
      const s = start();
      mkdirSync(s.at("node_modules/pkg"), { recursive: true });
      linkSync(s.put("outside/store", "code"), s.at("node_modules/pkg/index.js"));
      const key = s.put("outside/key", "KEY");
      chmodSync(key, 0o640);
      linkSync(key, s.at("node_modules/pkg/key"));
      linkSync(join(s.outside, "store"), s.at("elsewhere"));
      const read = (hardLinks: "packages" | "refuse" | "allow", path: string) =>
        open(level, { root: s.ws, hardLinks }).fs.read(path).then(() => "read", (error) => error.code);
      expect(await read("packages", "node_modules/pkg/index.js")).toBe("read");
      expect(await read("packages", "node_modules/pkg/key")).toBe("HARD_LINKED");
      expect(await read("packages", "elsewhere")).toBe("HARD_LINKED");
      expect(await read("refuse", "node_modules/pkg/index.js")).toBe("HARD_LINKED");
      expect(await read("allow", "elsewhere")).toBe("read");
    });

    it("do not count a node_modules above the root", async () => {
      const s = start();
      s.put("node_modules/app/x");
      linkSync(join(s.outside, "secret"), join(s.base, "node_modules/app/alias"));
      const inner = open(level, { root: join(s.base, "node_modules/app") });
      expect(await codeOf(inner.fs.read("alias"))).toBe("HARD_LINKED");
    });
  });

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
      for (const [name, run] of operations.slice(4)) {
        if (name === "rename onto") s.put("ws/inside");
        expect([name, await codeOf(run(workspace.fs, "docs:guide.md"))]).toEqual([
          name,
          name === "create" ? "FILE_EXISTS" : name === "mkdirp" ? "NOT_A_DIRECTORY" : "READ_ONLY",
        ]);
        expect(await codeOf(run(workspace.fs, "docs:../outside/secret"))).toBe("OUTSIDE_WORKSPACE");
      }
      expect(await codeOf(workspace.fs.mkdirp("docs:new"))).toBe("READ_ONLY");
      await workspace.fs.write("shared:new", bytes("y"));
      expect(workspace.describe()).toMatchObject({ cwd: s.ws, place: "host", boundary: level.level });
      expect(workspace.describe().mounts.map(({ name, access }) => `${name}:${access}`)).toEqual([":rw", "docs:ro", "shared:rw"]);
    });

    it("nested: the innermost decides, whatever the outer one is called by", async () => {
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
      for (const path of ["vendor/lib", "alias/lib", "vendor:lib", `${s.ws}/vendor/lib`, "alias/../vendor/lib"]) {
        expect(await codeOf(workspace.fs.write(path, bytes("x")))).toBe("READ_ONLY");
        expect(await codeOf(workspace.fs.remove(path))).toBe("READ_ONLY");
      }
      await workspace.fs.write("vendor/patches/p", bytes("q"));
      await workspace.fs.write("free", bytes("x"));
      expect(await codeOf(workspace.fs.rename("vendor", "gone"))).toBe("ROOT_PINNED");
      expect(await codeOf(workspace.fs.remove("vendor"))).toBe("ROOT_PINNED");
      expect(await codeOf(workspace.fs.rename("free", "vendor", { replace: true }))).toBe("READ_ONLY");
    });

    it("spelled through links are the real folder", async () => {
      const s = start();
      s.put("ws/file", "x");
      symlinkSync(s.ws, join(s.base, "shortcut"));
      const workspace = open(level, { root: join(s.base, "shortcut") });
      expect(workspace.describe().cwd).toBe(s.ws);
      for (const path of ["file", join(s.base, "shortcut/file"), join(s.ws, "file")]) {
        expect(await workspace.fs.realpath(path)).toBe(s.at("file"));
      }
      expect(await codeOf(workspace.fs.read(join(s.base, "shortcut/../outside/secret")))).toBe("OUTSIDE_WORKSPACE");
    });

    it("that are replaced by a link are not followed to where it leads", async () => {
      const s = start();
      s.put("ws/vendor/secret", "mine");
      const workspace = open(level, { root: s.ws, roots: { vendor: { path: s.at("vendor"), access: "ro" } } });
      expect(await readText(workspace, "vendor:secret")).toBe("mine");
      renameSync(s.at("vendor"), s.at("moved"));
      symlinkSync(s.outside, s.at("vendor"));
      expect(await codeOf(workspace.fs.read("vendor:secret"))).toBe("PATH_CHANGED");
      expect(await codeOf(workspace.fs.read("vendor/secret"))).toMatch(/PATH_CHANGED|OUTSIDE_WORKSPACE/);
    });

    it.each([
      ["missing", { root: "/nonexistent-haft" }],
      ["a file", { root: import.meta.filename }],
      ["badly named", { root: "/tmp", roots: { "a b": { path: "/tmp", access: "ro" as const } } }],
      ["named like a drive", { root: "/tmp", roots: { c: { path: "/tmp", access: "rw" as const } } }],
      ["in contradiction", { root: "/tmp", roots: { tmp: { path: "/tmp", access: "ro" as const } } }],
    ])("that are %s are refused at once", (_, options) => {
      expect(() => open(level, options)).toThrow(expect.objectContaining({ code: "ROOT_INVALID" }));
    });
  });

  describe("F14: workspaceOnly", () => {
    it("false reaches every operation", async () => {
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

    it("false still denies credentials, devices and read-only roots", async () => {
      const s = start();
      s.put("home/.ssh/id_rsa", "KEY");
      const whole = open(level, {
        root: s.ws,
        homeDir: join(s.base, "home"),
        workspaceOnly: false,
        roots: { docs: { path: s.outside, access: "ro" } },
      });
      expect(await codeOf(whole.fs.read("~/.ssh/id_rsa"))).toBe("PATH_DENIED");
      expect(await codeOf(whole.fs.read("/proc/self/environ"))).toBe("PATH_DENIED");
      expect(await codeOf(whole.fs.read("/dev/zero"))).toBe("NOT_A_FILE");
      expect(await codeOf(whole.fs.write("/dev/null", bytes("x")))).toBe("NOT_A_FILE");
      expect(await codeOf(whole.fs.write(join(s.outside, "x"), bytes("x")))).toBe("READ_ONLY");
      expect(await codeOf(whole.fs.rename(s.base, `${s.base}-2`))).toBe("ROOT_PINNED");
    });
  });

  it("denied files are not freed by renaming the folders their pattern names", async () => {
    const s = start({ deny: ["config/*.key"] });
    s.put("ws/config/a.key", "KEY");
    s.put("ws/.aws/credentials", "KEY");
    expect(await codeOf(s.fs.rename("config", "other"))).toBe("ROOT_PINNED");
    expect(await codeOf(s.fs.rename(".aws", "aws"))).toBe("ROOT_PINNED");
    expect(await codeOf(s.fs.rename("config/a.key", "a"))).toBe("PATH_DENIED");
  });

  it("the @ of a name that exists is part of it", async () => {
    const s = start();
    s.put("ws/@types/x", "types");
    s.put("ws/src/x", "src");
    expect(await readText(s.workspace, "@types/x")).toBe("types");
    expect(await readText(s.workspace, "@src/x")).toBe("src");
  });

  const name = fc.oneof(
    fc.constantFrom("..", ".", "a", "b", "in", "out", "loop", "up", "", "~", "@", "ws", "outside", "secret", "file:", "docs:"),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const path = fc
    .tuple(fc.constantFrom("", "/", "@", "~/", "file://", "docs:", "./", "BASE/", "BASE/ws/"), fc.array(name, { maxLength: 7 }))
    .map(([start, parts]) => start + parts.join("/"));

  test.prop([path])("whatever the spelling: inside a root, or a coded refusal", async (spelled) => {
    const s = fixture();
    const asked = spelled.replace("BASE", s.base);
    const settle = async <T>(call: Promise<T>): Promise<T | undefined> =>
      call.catch((thrown: unknown) => {
        if (!HaftError.is(thrown)) throw thrown;
        return undefined;
      });
    const real = await settle(s.fs.realpath(asked));
    if (real !== undefined) expect(`${real}/`.startsWith(`${s.ws}/`)).toBe(true);
    const read = await settle(s.fs.read(asked));
    if (read !== undefined) expect(Buffer.from(read.bytes).toString()).not.toContain("SECRET");
    await settle(s.fs.write(asked, bytes("x")));
    await settle(s.fs.append(asked, bytes("x")));
    await settle(s.fs.mkdirp(asked));
    expect(readdirSync(s.base).toSorted()).toEqual(["outside", "ws"]);
    expect(readdirSync(s.outside)).toEqual(["secret"]);
    expect(readFileSync(join(s.outside, "secret"), "utf8")).toBe("SECRET");
  });

  let shared: Site | undefined;
  const fixture = (): Site => (shared ??= makeFixture());
  const makeFixture = (): Site => {
    const s = start();
    s.put("ws/a/b/a", "fine");
    symlinkSync(s.outside, s.at("out"));
    symlinkSync("..", s.at("a/up"));
    symlinkSync("../..", s.at("a/b/up"));
    symlinkSync("a", s.at("in"));
    symlinkSync("loop", s.at("loop"));
    return s;
  };
});
