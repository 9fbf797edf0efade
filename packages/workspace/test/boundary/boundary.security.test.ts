import { fc, test } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { readFileSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { bytes, catchErrorCode, catchFailure, LEVELS, open, site } from "../support.ts";

describe.each(LEVELS)("boundary at level $level", (level) => {
  const start = (options = {}) => {
    const files = site();
    files.put("outside/secret", "SECRET");
    const workspace = open(level, { root: files.ws, homeDir: join(files.base, "home"), ...options });
    return { ...files, workspace, fs: workspace.fs, at: (name: string) => join(files.ws, name) };
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
      ["F9: the temporary folder of the host", () => join(tmpdir(), "x")],
      ["a file URL", (s: Site) => `file://${s.outside}/secret`],
      ["dots in a file URL", (s: Site) => `file://${s.ws}/%2e%2e/outside/secret`],
      ["home", () => "~/secret"],
      ["a neighbour that starts like the root", (s: Site) => `${s.ws}-2/x`],
      ["F1: below a link to a folder outside", () => "link/secret"],
      ["F1: deep below a link", () => "link/new/deep"],
      ["F3: below a link to a missing folder outside", () => "dangling/x"],
      ["F6: link/.. is the parent of the target", () => "link/../outside/secret"],
      ["F10: a chain of links that leads out", () => "chain/secret"],
    ])("rejects %s and changes nothing outside", async (_name, path) => {
      const s = start();
      s.put("ws/inside", "inside");
      symlinkSync(s.outside, s.at("link"));
      symlinkSync(join(s.base, "nowhere"), s.at("dangling"));
      symlinkSync("hop", s.at("chain"));
      symlinkSync("../outside", s.at("hop"));
      const error = await catchFailure(run(s.fs, path(s)));
      expect(error.code).toBe("OUTSIDE_WORKSPACE");
      expect(error.details).toEqual({ path: path(s), error: "workspace_violation" });
      untouched(s);
    });

    it("E25: returns the same error whether the outside path exists or not", async () => {
      const s = start();
      s.put("ws/inside", "inside");
      symlinkSync(s.outside, s.at("link"));
      const report = async (path: string) => {
        const { code, message, fix, receipt } = await catchFailure(run(s.fs, path));
        return { code, message: message.replace(JSON.stringify(path), "PATH"), fix, receipt };
      };
      expect(await report("link/secret")).toEqual(await report("link/nothing"));
      expect(await report("../outside/secret")).toEqual(await report("../nowhere/secret"));
      expect(await report("../outside/../ws/inside")).toEqual(await report("../nowhere/../ws/inside"));
    });

    it("rejects a denied path, also through a link", async () => {
      const s = start({ deny: ["private"] });
      s.put("ws/inside", "inside");
      s.put("ws/private/key", "KEY");
      symlinkSync("private", s.at("alias"));
      expect(await catchErrorCode(run(s.fs, "private/key"))).toBe("PATH_DENIED");
      expect(await catchErrorCode(run(s.fs, "PRIVATE/key"))).toBe("PATH_DENIED");
      expect(await catchErrorCode(run(s.fs, "alias/key"))).toBe("PATH_DENIED");
      expect(await catchErrorCode(run(s.fs, "private/none"))).toBe("PATH_DENIED");
      expect(readFileSync(s.at("private/key"), "utf8")).toBe("KEY");
    });
  });

  const name = fc.oneof(
    fc.constantFrom(
      "..",
      ".",
      "a",
      "b",
      "in",
      "out",
      "loop",
      "up",
      "",
      "~",
      "@",
      "ws",
      "outside",
      "secret",
      "file:",
      "docs:",
    ),
    fc.string({ unit: codePoint, maxLength: 6 }),
  );
  const path = fc
    .tuple(
      fc.constantFrom("", "/", "@", "~/", "file://", "docs:", "./", "BASE/", "BASE/ws/"),
      fc.array(name, { maxLength: 7 }),
    )
    .map(([start, parts]) => start + parts.join("/"));

  test.prop([path])("resolves any spelling inside a root, or rejects it with a code", async (spelled) => {
    const s = fixture();
    const requestedPath = spelled.replace("BASE", s.base);
    const settle = async <T>(call: Promise<T>): Promise<T | undefined> =>
      call.catch((thrown: unknown) => {
        if (!HaftError.is(thrown)) throw thrown;
        return undefined;
      });
    const real = await settle(s.fs.realpath(requestedPath));
    if (real !== undefined) expect(`${real}/`.startsWith(`${s.ws}/`)).toBe(true);
    const read = await settle(s.fs.read(requestedPath));
    if (read !== undefined) expect(Buffer.from(read.bytes).toString()).not.toContain("SECRET");
    await settle(s.fs.write(requestedPath, bytes("x")));
    await settle(s.fs.append(requestedPath, bytes("x")));
    await settle(s.fs.mkdirp(requestedPath));
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
