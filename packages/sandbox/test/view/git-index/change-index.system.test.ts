import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyIndexChanges, changeIndex } from "../../../src/view/git-index/change-index.ts";
import { tempFolder } from "../../support.ts";
import { git } from "../git/contained.ts";

function aRepository(format = "sha1") {
  const root = tempFolder("index");
  execFileSync("git", ["init", "-q", "-b", "main", `--object-format=${format}`, root]);
  const names = ["a", "b/.envrc", "b/c", `${`${"long".repeat(25)}/`.repeat(15)}name`, "ü", "z"];
  for (const name of names) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), name);
  }
  git(root, "config", "user.name", "Ada");
  git(root, "config", "user.email", "ada@example.com");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  return { root, gitFolder: join(root, ".git"), hash: format === "sha1" ? 20 : 32 };
}

const flagsOf = (root: string) =>
  git(root, "ls-files", "-v", "-z")
    .split("\0")
    .filter((line) => line.startsWith("S "));

describe("flags in an index", () => {
  for (const format of ["sha1", "sha256"])
    for (const version of ["2", "3", "4"])
      test(`can be read by git ${format}, version ${version}`, () => {
        const { root, gitFolder, hash } = aRepository(format);
        git(root, "update-index", "--index-version", version);
        git(root, "add", "-N", ".");
        const staged = git(root, "ls-files", "-s");
        const set = (name: string, is: "skip" | "do not skip") =>
          changeIndex(gitFolder, hash, (entry) => (entry.name === name ? is : undefined));
        expect(set("b/.envrc", "skip")).toBe("done");
        expect(set("b/.envrc", "skip")).toBe("unchanged");
        expect(flagsOf(root)).toEqual(["S b/.envrc"]);
        expect(git(root, "ls-files", "-s")).toBe(staged);
        expect(git(root, "fsck", "--strict", "--no-dangling")).toBe("");
        expect(git(root, "status", "--porcelain")).toBe("");
        expect(set("b/.envrc", "do not skip")).toBe("done");
        expect(flagsOf(root)).toEqual([]);
        expect(set("nothing", "skip")).toBe("unchanged");
        writeFileSync(join(gitFolder, "index.lock"), "");
        expect(set("a", "skip")).toBe("locked");
      });

  test("keep extensions of git, and skip a split index", () => {
    const { root, gitFolder } = aRepository();
    git(root, "config", "core.untrackedCache", "true");
    git(root, "config", "index.threads", "true");
    git(root, "status");
    expect(changeIndex(gitFolder, 20, ({ name }) => (name === "z" ? "skip" : undefined))).toBe("done");
    expect(git(root, "status", "--porcelain")).toBe("");
    expect(flagsOf(root)).toEqual(["S z"]);
    git(root, "update-index", "--split-index");
    expect(changeIndex(gitFolder, 20, () => "skip")).toBe("unreadable");
    expect(git(root, "status", "--porcelain")).toBe("");
  });

  test("are not written to a damaged index", () => {
    const { gitFolder } = aRepository();
    const index = readFileSync(join(gitFolder, "index"));
    for (const length of [0, 11, 40, 100, index.length - 30])
      expect(applyIndexChanges(index.subarray(0, length), 20, () => "skip")).toBe("unreadable");
  });

  test("do not hide a file that changes while the index is written", () => {
    const { root, gitFolder } = aRepository();
    for (let round = 0; round < 20; round++) {
      writeFileSync(join(root, "a"), String(round % 10));
      git(root, "add", "a");
      writeFileSync(join(root, "a"), String((round + 1) % 10));
      changeIndex(gitFolder, 20, ({ name }) =>
        name === "z" ? (round % 2 ? "skip" : "do not skip") : undefined,
      );
      expect(git(root, "status", "--porcelain", "a")).toMatch(/^.M a/);
    }
  });
});
