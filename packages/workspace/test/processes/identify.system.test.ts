import { createHash } from "node:crypto";
import {
  chmodSync, copyFileSync, linkSync, mkdirSync, readFileSync, realpathSync, symlinkSync, truncateSync, utimesSync, writeFileSync,
} from "node:fs"; // prettier-ignore
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { catchErrorCode } from "../support.ts";
import { EACH_START_MODE, folder, session, sharedSessions } from "./support.ts";

const share = sharedSessions();

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
/** Long ago for every clock. */
const OLD = new Date("2020-01-01");

describe.each(EACH_START_MODE)("identify, $name", ({ options }) => {
  test("searches programs like a command, in the order of its PATH", async () => {
    const { root, processes } = session({
      ...options,
      environment: { from: { PATH: ["one", "two", "/usr/bin", "/bin"].join(delimiter) } },
    });
    for (const folder of ["one", "two"]) mkdirSync(join(root, folder));
    writeFileSync(join(root, "one", "tool"), "not executable");
    writeFileSync(join(root, "two", "tool"), "#!/bin/sh\n", { mode: 0o755 });
    mkdirSync(join(root, "one", "sh"));
    const names = ["tool", "sh", "no-such-program", "", "a\0b"].map((name) => ({ name }));
    const { files } = await processes.identify(names, {});
    expect(files.map((one) => one?.path)).toEqual([
      join(root, "two", "tool"),
      expect.stringMatching(/^\/(usr\/)?bin\/sh$/),
      undefined,
      undefined,
      undefined,
    ]);
    const elsewhere = await processes.identify([{ name: "tool" }], { cwd: "two" });
    expect(elsewhere.files).toEqual([undefined]);
  });

  test("resolves links, and resolves names with a slash from the folder", async () => {
    const { root, processes } = share(options);
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "sub", "script"), "echo hi", { mode: 0o644 });
    symlinkSync("sub/script", join(root, "link"));
    symlinkSync("nowhere", join(root, "dangling"));
    const { cwd, files } = await processes.identify(
      [
        { name: "./link", hash: true },
        { name: "./script" },
        { name: "../sub/script" },
        { name: "./dangling" },
      ],
      { cwd: "sub" },
    );
    expect(cwd).toMatchObject({ path: join(root, "sub"), realPath: join(root, "sub") });
    expect(files.map((one) => one?.path)).toEqual([
      undefined,
      join(root, "sub", "script"),
      join(root, "sub", "script"),
      undefined,
    ]);
    const linked = await processes.identify([{ name: "./link", hash: true }], {});
    expect(linked.files[0]).toEqual({
      path: join(root, "link"),
      realPath: join(root, "sub", "script"),
      version: files[1]!.version,
      sha256: sha256("echo hi"),
    });
  });

  test("returns a new version after every rewrite, even with old times", async () => {
    const { root, processes } = share(options);
    const file = join(root, "tool");
    const identifyTool = async () =>
      (await processes.identify([{ name: "./tool", hash: true }], {})).files[0]!;
    writeFileSync(file, "echo one");
    utimesSync(file, OLD, OLD);
    const first = await identifyTool();
    expect(await identifyTool()).toEqual(first);
    await new Promise((resolve) => setTimeout(resolve, 20));
    writeFileSync(file, "echo two");
    utimesSync(file, OLD, OLD);
    const second = await identifyTool();
    expect(second.version).not.toBe(first.version);
    await new Promise((resolve) => setTimeout(resolve, 20));
    chmodSync(file, 0o755);
    expect((await identifyTool()).version).not.toBe(second.version);
  });

  test("hashes recently changed files, whose times may not show the next change", async () => {
    const { root, processes } = share(options);
    writeFileSync(join(root, "fresh"), "echo hi");
    const { files } = await processes.identify([{ name: "./fresh" }, { name: "sh" }], {});
    expect(files[0]?.sha256).toBe(sha256("echo hi"));
    expect(files[1]).not.toHaveProperty("sha256");
  });

  test("ignores changes inside a folder, and returns no hash for large and unreadable files", async () => {
    const { root, processes } = share(options);
    writeFileSync(join(root, "large"), "");
    truncateSync(join(root, "large"), 17 * 1024 * 1024);
    const identifyTool = () => processes.identify([{ name: "./large", hash: true }, { name: "./" }], {});
    const before = await identifyTool();
    writeFileSync(join(root, "new"), "");
    const after = await identifyTool();
    expect(after).toEqual(before);
    expect(before.files[0]).not.toHaveProperty("sha256");
    expect(before.files[1]).toEqual(before.cwd);
  });

  test("returns the interpreter of executable scripts, and marks folders", async () => {
    const { root, processes } = share(options);
    const files = {
      script: "#! /usr/bin/env -S sh -eu \nexit",
      plain: "exit",
      short: "#",
      native: "\x7fELF",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text, { mode: 0o755 });
    writeFileSync(join(root, "read-only"), files.script, { mode: 0o644 });
    const names = [...Object.keys(files), "read-only", "."].map((name) => ({ name: `./${name}` }));
    const looked = await processes.identify(names, {});
    expect(looked.files.map((one) => one?.shebang)).toEqual([
      "/usr/bin/env -S sh -eu",
      ...Array<undefined>(5).fill(undefined),
    ]);
    expect(looked.files.map((one) => one?.isFolder)).toEqual([...Array<undefined>(5).fill(undefined), true]);
  });

  test("finds copies and hard links of programs on request", async () => {
    const bin = folder();
    const { root, processes } = session({ ...options, environment: { from: { PATH: `${bin}:/bin` } } });
    copyFileSync("/bin/sh", join(root, "my-tool"));
    writeFileSync(join(root, "changed"), Buffer.concat([readFileSync("/bin/sh"), Buffer.from("\n")]), {
      mode: 0o755,
    });
    symlinkSync("/bin/sh", join(root, "link"));
    const of = async (name: string) =>
      (await processes.identify([{ name: join(root, name), copies: true }], {})).files[0]?.copies;
    const shell = realpathSync("/bin/sh");
    expect(await of("my-tool")).toContain(shell);
    expect(await of("changed")).not.toContain(shell);
    // A link is no copy: its real path says what it is.
    expect(await of("link")).not.toContain(shell);
    expect((await processes.identify([{ name: "sh" }], {})).files[0]).not.toHaveProperty("copies");
    linkSync(join(root, "my-tool"), join(bin, "same-file"));
    expect(await of("my-tool")).toContain(join(bin, "same-file"));
  });

  test("returns equal hashes only for equal variables, and reveals nothing else", async () => {
    const { processes } = share(options);
    const of = async (env: Record<string, string>) => (await processes.identify([], { env })).environment;
    const plain = await of({});
    expect(plain).toMatch(/^[0-9a-f]{64}$/);
    expect(await of({})).toBe(plain);
    // Another terminal, another language: the same command.
    expect(await of({ TERM: "dumb", LANG: "C", LC_ALL: "C", COLUMNS: "80" })).toBe(plain);
    expect(await of({ A: "1", B: "2" })).toBe(await of({ B: "2", A: "1" }));
    const different = [{ A: "1" }, { A: "2" }, { A: "" }, { AB: "1" }, { A: "1", B: "1" }];
    expect(new Set([plain, ...(await Promise.all(different.map(of)))]).size).toBe(different.length + 1);
  });

  test("rejects folders and variables like a start", async () => {
    const { processes } = share(options);
    expect(await catchErrorCode(processes.identify([], { cwd: "missing" }))).toBe("INVALID_PROCESS");
    expect(await catchErrorCode(processes.identify([], { cwd: "/etc" }))).toBe("OUTSIDE_WORKSPACE");
    expect(await catchErrorCode(processes.identify([], { cwd: "~" }))).toBe("INVALID_PROCESS");
    expect(await catchErrorCode(processes.identify([], { env: { Ld_Preload: "x" } }))).toBe(
      "ENVIRONMENT_BLOCKED",
    );
    expect(await processes.list()).toEqual([]);
  });
});
