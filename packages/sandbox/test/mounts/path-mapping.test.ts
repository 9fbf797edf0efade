import { fc, test as property } from "@fast-check/vitest";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPathMapping } from "../../src/mounts/path-mapping.ts";

const mounts = [
  { hostPath: "/home/me/project", path: "/workspace" },
  { hostPath: "/home/me/project/packages/data", path: "/mnt/data" },
  { hostPath: "/srv/my files", path: "/mnt/files" },
];
const inside = createPathMapping(mounts, "/home/me");

test.each([
  ["/home/me/project", "/workspace"],
  ["/home/me/project/", "/workspace/"],
  ["/home/me/project/src/a.ts", "/workspace/src/a.ts"],
  ["/home/me//project/./src/a.ts", "/workspace/src/a.ts"],
  ["/home/me/project/../x", "/workspace/../x"],
  ["/home/me/project/packages/data/x", "/mnt/data/x"],
  ["/home/me/project/packages/data2", "/workspace/packages/data2"],
  ["~/project/a", "/workspace/a"],
  ["file:///home/me/project/a%20b", "/workspace/a b"],
  ["file://localhost/srv/my%20files/x/", "/mnt/files/x/"],
  ["@/home/me/project/a", "/workspace/a"],
])("maps %s to %s inside", (host, expected) => {
  expect(inside(host)).toBe(expected);
});

test.each([
  "src/a.ts",
  ".",
  "../x",
  "data:x/y",
  "/workspace/src",
  "/workspace/../home/me/project",
  "/home/me/other",
  "/home/me/projects/a",
  "/home/me/other/../project/a",
  "/home/me",
  "/",
  "~",
  "~/other",
  "file:///etc/passwd",
  "file://elsewhere/home/me/project",
  "file:///home/me/project%2Fa",
  "https://example.org/home/me/project",
  "C:\\project",
  "a\0b",
  "",
])("leaves %j unchanged, for the sandbox to judge", (path) => {
  expect(inside(path)).toBe(path);
});

test("maps the real path of a mount that is specified through a link", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-mapping-")));
  onTestFinished(() => rmSync(base, { recursive: true }));
  mkdirSync(join(base, "real"));
  symlinkSync("real", join(base, "link"));
  const map = createPathMapping([{ hostPath: join(base, "link"), path: "/workspace" }]);
  expect([map(join(base, "real/a")), map(join(base, "link/a"))]).toEqual(["/workspace/a", "/workspace/a"]);
});

test("keeps a path inside a mount, even if the host has the same path", () => {
  const map = createPathMapping([{ hostPath: "/workspace/project", path: "/workspace" }]);
  expect(map("/workspace/project/a")).toBe("/workspace/project/a");
});

const names = fc.array(fc.constantFrom("home", "me", "project", "packages", "data", "a", "..", "."), {
  maxLength: 8,
});
property.prop([names])("maps a path only if its text begins in a mount", (parts) => {
  const mapped = inside(`/${parts.join("/")}`);
  const mappedTo = mapped === `/${parts.join("/")}` || /^\/(workspace|mnt\/data)(\/|$)/.test(mapped);
  expect(mappedTo).toBe(true);
});
