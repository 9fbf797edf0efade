import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-create-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const main = join(import.meta.dirname, "../src/main.ts");
const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@haft/source", main, ...args],
    {
      cwd: folder,
      encoding: "utf8",
      input: "",
      // Whoever runs the tests is not who starts it.
      env: { ...process.env, npm_config_user_agent: "" },
    },
  );
  return { status, stdout, stderr };
};

const hasBubblewrap =
  process.env["HAFT_REQUIRE_SERVICES"] === "1" || spawnSync("bwrap", ["--version"]).status === 0;

test.skipIf(!hasBubblewrap)(
  "makes a package by flags, whose tests are green in every kind of session",
  () => {
    const made = run("haft-plugin-lines", "--tool", "count_lines", "--no-install", "--no-git", "--yes");
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect(made.stdout).toMatch(
      /Created haft-plugin-lines in haft-plugin-lines: \d+ files\.[^]*npm install\n  npm test/,
    );
    // As they are installed; the packed ones are in the story of an author (scripts/first-contact.ts).
    const at = join(folder, "haft-plugin-lines");
    const umask = parseInt(execFileSync("sh", ["-c", "umask"], { encoding: "utf8" }), 8);
    expect(statSync(at).mode & 0o777).toBe(0o777 & ~umask);
    execFileSync("mkdir", ["-p", join(at, "node_modules")]);
    execFileSync("ln", [
      "-s",
      join(import.meta.dirname, "../../../node_modules/@haft"),
      join(at, "node_modules/@haft"),
    ]);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const tested = spawnSync(
      process.execPath,
      ["--conditions=@haft/source", "--test", "--test-reporter=spec"],
      {
        cwd: at,
        encoding: "utf8",
        env,
      },
    );
    expect(tested.stdout + tested.stderr).toMatch(/pass 4\n/);
    expect(tested.status).toBe(0);
  },
  60_000,
);

test("uses the default name without a terminal", () => {
  const made = run("--no-install", "--no-git");
  expect(made).toMatchObject({ status: 0, stderr: "" });
  expect(readdirSync(join(folder, "haft-plugin-example"))).toContain("package.json");
});

test("reports a mistake with an exit code, and creates no files", () => {
  const before = readdirSync(folder);
  expect(run("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--no-install") });
  expect(run("--version")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(run("--bogus")).toMatchObject({ status: 2, stderr: expect.stringContaining("--bogus") });
  expect(run("a", "--efect")).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/There is no option --efect\.[^]*--effects EFFECTS/),
  });
  expect(run("one", "two")).toMatchObject({ status: 2, stderr: expect.stringContaining("Give one name") });
  expect(run("a", "--package-manager", "cargo")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("npm, pnpm"),
  });
  expect(run("Bad Name")).toMatchObject({ status: 2, stderr: expect.stringContaining("capital letters") });
  expect(run("a", "--dir", import.meta.dirname)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("not empty"),
  });
  expect(readdirSync(folder)).toEqual(before);
});
