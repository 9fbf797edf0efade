import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAcl, hasAccessLists, site } from "../../workspace/test/support.ts";
import { replaceFile } from "../src/access/replace-file.ts";

const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: "utf8" });
const isRoot = process.getuid?.() === 0;

const hasLists = hasAccessLists();

test("a replaced file keeps its mode, and its owner where that can be given; a link stays a link", () => {
  const { ws } = site();
  const [real, link] = [join(ws, "real"), join(ws, "link")];
  writeFileSync(real, "one");
  chmodSync(real, 0o664);
  if (isRoot) chownSync(real, 1234, 2345);
  symlinkSync("real", link);
  replaceFile(link, "two", { mode: 0o600 });
  expect([readFileSync(real, "utf8"), lstatSync(link).isSymbolicLink()]).toEqual(["two", true]);
  expect(statSync(real).mode & 0o7777).toBe(0o664);
  if (isRoot) expect(statSync(real)).toMatchObject({ uid: 1234, gid: 2345 });
  replaceFile(join(ws, "new"), new Uint8Array([0, 255]), { mode: 0o640, flush: true });
  expect([...readFileSync(join(ws, "new"))]).toEqual([0, 255]);
  expect(statSync(join(ws, "new")).mode & 0o7777).toBe(0o640);
  expect(readdirSync(ws).toSorted()).toEqual(["link", "new", "real"]);
});

test.skipIf(!hasLists)("a replaced file keeps access list and attributes, and gains no right", () => {
  const { put } = site();
  const path = put("ws/settings", "old");
  chmodSync(path, 0o600);
  run("setfacl", "-m", "u:33:r", path);
  const hasAttributes = spawnSync("setfattr", ["-n", "user.kept", "-v", "yes", path]).status === 0;
  const before = readAcl(path);
  expect(before).toContain("group::---");
  replaceFile(path, "new");
  expect([readFileSync(path, "utf8"), readAcl(path)]).toEqual(["new", before]);
  if (hasAttributes) expect(run("getfattr", "--only-values", "-n", "user.kept", path)).toBe("yes");
});

test.skipIf(!hasLists)("without a program that copies access lists, a file is written in place", () => {
  const { put, ws } = site();
  const path = put("ws/settings", "a long old content");
  chmodSync(path, 0o600);
  run("setfacl", "-m", "u:33:r", path);
  const [before, { ino }] = [readAcl(path), statSync(path)];
  expect(inChild(`replaceFile(${JSON.stringify(path)}, "new")`, { env: { PATH: "/nonexistent" } })).toBe("");
  expect([readFileSync(path, "utf8"), readAcl(path), statSync(path).ino]).toEqual(["new", before, ino]);
  expect(readdirSync(ws)).toEqual(["settings"]);
});

test.skipIf(!isRoot)("a member of the group writes in place; a file with several names is refused", () => {
  const { base, ws } = site();
  chmodSync(base, 0o755);
  chownSync(ws, 1000, 2000);
  chmodSync(ws, 0o2775);
  const path = join(ws, "settings");
  writeFileSync(path, "a long old content");
  chownSync(path, 1000, 2000);
  chmodSync(path, 0o664);
  const before = statSync(path);
  const as = { uid: 1001, gid: 2000 };
  expect(inChild(`replaceFile(${JSON.stringify(path)}, "new")`, as)).toBe("");
  const { uid, gid, mode, ino } = statSync(path);
  expect([uid, gid, mode, ino]).toEqual([1000, 2000, before.mode, before.ino]);
  linkSync(path, join(ws, "second"));
  expect(inChild(`replaceFile(${JSON.stringify(path)}, "newer")`, as)).toContain("several names");
  expect(readFileSync(path, "utf8")).toBe("new");
  chmodSync(path, 0o444);
  expect(inChild(`replaceFile(${JSON.stringify(path)}, "newer")`, as)).toContain("EACCES");
  expect(readdirSync(ws).toSorted()).toEqual(["second", "settings"]);
});

test("keeps a file that cannot be replaced, and leaves no other file", () => {
  const { ws } = site();
  const file = join(ws, "file");
  writeFileSync(file, "one");
  const seen: string[] = [];
  const check = (real: string) => {
    seen.push(readFileSync(real, "utf8"));
    throw new Error("It is another by now.");
  };
  expect(() => replaceFile(file, "two", { check })).toThrow("another by now");
  expect([readFileSync(file, "utf8"), seen]).toEqual(["one", ["one"]]);
  expect(() => replaceFile(join(ws, "gone/file"), "two")).toThrow("ENOENT");
  mkdirSync(join(ws, "inner"));
  expect(() => replaceFile(join(ws, "inner"), "two")).toThrow("not a regular file");
  expect(readdirSync(ws).toSorted()).toEqual(["file", "inner"]);
});

/** Runs a line of code in another process. @returns what it threw */
function inChild(code: string, options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv }): string {
  const source = new URL("../src/access/replace-file.ts", import.meta.url).pathname;
  const program = `import { replaceFile } from ${JSON.stringify(source)};
    try { ${code} } catch (error) { console.log(error.message); }`;
  const args = ["--conditions=@haft/source", "--input-type=module", "-e", program];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    cwd: "/",
    ...options,
  });
  expect([status, stderr.replaceAll(/.*(?:ExperimentalWarning|--trace-warnings).*\n/g, "")]).toEqual([0, ""]);
  return stdout.trim();
}
