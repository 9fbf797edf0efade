import { fc, test } from "@fast-check/vitest";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { LookupTime } from "../../src/lookup/lookup-time.ts";
import { walkFolders, WalkReport } from "../../src/lookup/walk.ts";
import { bench } from "../support/tool-context.ts";

const name = fc.constantFrom("a", "b", "ab", "a.txt", "b.log", ".hidden", "build");
const file = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const piece = fc.constantFrom("a", "b", "*", "**", "?", "*.txt", "a*", "[ab]", "[!a]", "build", ".*", "*b*");
const rule = fc
  .tuple(fc.boolean(), fc.boolean(), fc.array(piece, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(
    ([negated, rooted, parts, folders]) =>
      `${negated ? "!" : ""}${rooted ? "/" : ""}${parts.join("/")}${folders ? "/" : ""}`,
  );
const rules = fc.array(rule, { maxLength: 5 }).map((lines) => lines.join("\n"));

/** One for all trees: what git shows depends on the tree and its rules alone. */
const repository = mkdtempSync(join(tmpdir(), "haft-gitignore-"));
beforeAll(() => void execFileSync("git", ["init", "-q", repository]));
afterAll(() => rmSync(repository, { recursive: true }));

test.prop([fc.uniqueArray(file, { minLength: 1, maxLength: 12 }), rules, fc.tuple(name, rules)], {
  numRuns: scaleRuns(60, 3),
})("shows the same files as git", async (files, top, [folder, nested]) => {
  const { folder: root, workspace } = bench();
  const write = (path: string, text: string): void => {
    try {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    } catch {
      // A file where another path wants a folder: one of them wins.
    }
  };
  for (const path of files) write(path, "");
  write(".gitignore", top);
  write(`${folder}/.gitignore`, nested);

  const git = ["-c", "core.excludesFile=/dev/null", `--git-dir=${repository}/.git`, `--work-tree=${root}`];
  const others = ["ls-files", "-z", "--others", "--exclude-standard"];
  const listed = execFileSync("git", [...git, ...others], { cwd: root, encoding: "utf8" });
  const expected = listed.split("\0").filter(Boolean);

  const seen: string[] = [];
  const time = new LookupTime(new AbortController().signal);
  const options = { time, includeIgnored: false };
  for await (const entry of walkFolders(workspace, ".", options, new WalkReport())) {
    if (entry.type === "file") seen.push(entry.path);
  }
  expect(seen.toSorted()).toEqual(expected.toSorted());
});
