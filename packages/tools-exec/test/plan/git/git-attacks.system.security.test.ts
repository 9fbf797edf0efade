import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ATTACKS, patch } from "../../support/git-attacks.ts";
import { gitSite, sharedGitSite, shown } from "../../support/git-site.ts";

type Site = Awaited<ReturnType<typeof gitSite>>;

/** Everything below a folder, with what it contains. */
function everything(folder: string): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isDirectory()) {
      all[`${name}/`] = "";
      for (const [key, value] of Object.entries(everything(path))) all[`${name}/${key}`] = value;
    } else all[name] = stat.isFile() ? readFileSync(path, "latin1") : "other";
  }
  return all;
}

/** What git itself writes as it works, and nobody runs. */
const WORK =
  /^(?:objects|logs|refs|index|COMMIT_EDITMSG|FETCH_HEAD|ORIG_HEAD|HEAD|AUTO_MERGE|rebase-|packed-refs|worktrees|MERGE_)/;

function guarded({ at, outside }: Site): unknown {
  const inside = Object.entries(everything(at(".git"))).filter(([name]) => !WORK.test(name));
  return [Object.fromEntries(inside), everything(outside)];
}

const sharedSite = sharedGitSite();

describe("attacks with file tools and a listed git", () => {
  test.for(ATTACKS)("fail: %s", async ([, lines, prepare]) => {
    const testSite = await sharedSite();
    testSite.write("sub/a", "a\n");
    prepare?.(testSite);
    const before = guarded(testSite);
    for (const line of lines) {
      const outcome = await testSite.run(line);
      expect({ line, ran: testSite.ran(), guarded: guarded(testSite), said: shown(outcome) }).toMatchObject({
        line,
        ran: false,
        guarded: before,
      });
    }
    // Nothing of it comes to life later.
    for (const line of ["git status", "git add -A", "git commit -m x", "git log", "git -C sub status"])
      await testSite.run(line);
    expect(testSite.ran()).toBe(false);
  });

  test.each([
    ["ssh", "git ls-remote git@host.invalid:a"],
    ["git", "git status"],
    ["ls", "ls"],
  ])("do not run a program %s that a patch puts on the PATH", async (name, line) => {
    const testSite = await gitSite({ preset: "careful", allow: ["git", "ls"] });
    testSite.write(
      "p",
      patch(`bin/${name}`, "100755", `#!/bin/sh`).replace("+1 @@", "+1,2 @@") + `+id > ${testSite.marker}\n`,
    );
    expect(await testSite.run("git apply p")).toMatchObject({ kind: "ok" });
    expect(readdirSync(testSite.at("bin"))).toContain(name);
    await testSite.run(line);
    expect(testSite.requests).toHaveLength(1);
    expect(testSite.ran()).toBe(false);
  });
});
