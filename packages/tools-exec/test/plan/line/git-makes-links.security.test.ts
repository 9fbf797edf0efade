import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitSite } from "../../support/git-site.ts";

test("requires approval for a redirect after git, which can replace its file by a link", async () => {
  const { at, git, outside, run, requests, write } = await gitSite();
  const target = join(outside, "bashrc");
  git("checkout", "-q", "-b", "other");
  symlinkSync(target, at("out"));
  git("add", "out");
  git("commit", "-q", "-m", "a link");
  git("checkout", "-q", "-");
  expect(existsSync(at("out"))).toBe(false);
  for (const line of [
    "git checkout -q other && echo x > out",
    "git checkout -q other; echo x >> out",
    "git merge -q other | echo x > out",
    "git reset -q --hard other && (echo x > out)",
    "echo $(git stash pop) > out",
    // Without an order, git can be first.
    "echo x > out & git checkout -q other; wait",
    "until test -e a.txt; do echo x > out; git checkout -q other; done",
    "for f in $UNKNOWN; do echo x > out; git checkout -q other; done",
  ]) {
    expect({ line, ...(await run(line)) }).toMatchObject({ line, kind: "blocked" });
    expect(existsSync(target)).toBe(false);
  }
  expect(requests).toHaveLength(8);
  expect(requests[0]?.reason).toContain("git may change where that is");
  // The file would be created in the first round only.
  expect(await run("until test -e out2; do echo x > out2; done")).toMatchObject({ kind: "blocked" });
  expect(requests.pop()?.reason).toContain("in a loop, which is not there");
  // If the first redirect is skipped, the second one would follow a link that appeared after the approval.
  for (const line of [
    "echo x > out3 || echo y > out3",
    "if test -e a.txt; then echo x > out3; else echo y > out3; fi",
  ]) {
    expect({ line, ...(await run(line)) }).toMatchObject({ line, kind: "blocked" });
    expect(requests.pop()?.reason).toContain("by one of several redirects");
    expect(existsSync(at("out3"))).toBe(false);
  }
  expect(await run("echo x > out3 && echo y >> out3")).toMatchObject({ kind: "ok" });
  // What only looks, or changes nothing but the repository, may go before it.
  write("new", "x\n");
  expect(await run("git add new && git commit -qm x; git log --oneline > log.txt")).toMatchObject({
    kind: "ok",
  });
  expect(existsSync(at("log.txt"))).toBe(true);
});

test("requires approval for patterns after a git command that changes files", async () => {
  const { requests, run } = await gitSite({ preset: "careful", allow: ["git", "ls"] });
  expect(await run("git checkout -q HEAD && ls *.sh")).toMatchObject({ kind: "blocked" });
  expect(requests[0]?.reason).toContain("which may change the matching files");
  expect(await run("git status -s; ls *.sh")).toMatchObject({ kind: "ok" });
});
