import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, vi } from "vitest";
import { scaleRuns } from "../../../../../test/support/share.ts";
import { tempFolder } from "../../support.ts";
import { git, onHost, testContained } from "../git/contained.ts";
import { openScannedProject } from "./scanned-project.ts";

const SETTINGS = [".envrc", ".vscode/settings.json"];
const WAIT = { timeout: 60_000, interval: 5 };

/** `main` without settings, and `team` with some. */
function aProject(): string {
  const root = join(tempFolder("locked"), "work");
  onHost(
    join(root, ".."),
    `git init -q -b main work; cd work; git config user.name Ada; git config user.email ada@example.com
    echo a >a; git add a; git commit -qm base; git checkout -qb team; mkdir .vscode
    echo '{}' >.vscode/settings.json; echo 'export A=1' >.envrc; echo b >b; git add -A; git commit -qm team
    git checkout -q main`,
  );
  return root;
}

const deletions = (root: string): string =>
  git(root, "log", "--all", "--diff-filter=D", "--name-only", "--format=");

describe("settings of a command while another git locks the index", () => {
  testContained("stay until the lock is released, so that git sees no deletion", async () => {
    const root = aProject();
    const { view, scanner } = await openScannedProject(root);
    await scanner.before();
    await view.run("git checkout -q team");
    const lock = join(root, ".git/index.lock");
    writeFileSync(lock, "");
    // As a `git add -A` on the host, which holds the lock for less time than is waited for it.
    const after = scanner.after();
    const seen: string[] = [];
    for (let scan = 0; scan < 3; scan++) {
      await sleep(10);
      seen.push(git(root, "status", "--porcelain"));
    }
    rmSync(lock);
    await after;
    expect(seen.join("")).toBe("");
    expect(SETTINGS.filter((name) => existsSync(join(root, name)))).toEqual([]);
    expect(git(root, "ls-files", "-v", ...SETTINGS)).toBe("S .envrc\nS .vscode/settings.json\n");
    expect(git(root, "status", "--porcelain")).toBe("");
    const { quarantined, notices } = scanner.report();
    expect(quarantined.every((one) => one.git !== undefined && one.isUnmarked === undefined)).toBe(true);
    expect(notices.join("\n")).toContain("Git tracks it and does not report it as deleted.");
  });

  testContained(
    "are moved although the lock stays, which is reported, and are marked when it is released",
    async () => {
      const root = aProject();
      const { call } = await openScannedProject(root);
      const { left } = await call("git checkout -q team; touch .git/index.lock");
      expect(SETTINGS.filter((name) => existsSync(join(root, name)))).toEqual([]);
      const notices = left.notices.join("\n");
      expect(notices).not.toContain("does not report");
      expect(notices).toContain(`While ${root}/.git/index.lock exists, git can report`);
      rmSync(join(root, ".git/index.lock"));
      await vi.waitUntil(() => git(root, "status", "--porcelain") === "", WAIT);
      onHost(root, "git add -A; git commit -qm later --allow-empty");
      expect(deletions(root)).toBe("");
      // The next ones do not wait for a lock that nobody holds.
      const again = await call("git checkout -q main; git checkout -q team");
      expect(again.left.notices.join("\n")).toContain("does not report it as deleted");
    },
  );

  testContained("are kept by a commit with an open editor, and by the next commit", async () => {
    const root = aProject();
    const { view, scanner } = await openScannedProject(root);
    await scanner.before();
    await view.run("git checkout -q team");
    onHost(root, "echo more >>b; rm .git/COMMIT_EDITMSG");
    const editor = `while [ ! -e ${root}/.git/go ]; do sleep 0.02; done; echo message >`;
    const commit = spawn("git", ["commit", "-qa"], {
      cwd: root,
      env: { ...process.env, GIT_EDITOR: editor },
      stdio: "ignore",
    });
    const ended = once(commit, "exit");
    await vi.waitUntil(() => existsSync(join(root, ".git/COMMIT_EDITMSG")), WAIT);
    await scanner.after();
    expect(SETTINGS.filter((name) => existsSync(join(root, name)))).toEqual([]);
    expect(scanner.report().notices.join("\n")).not.toContain("does not report");
    writeFileSync(join(root, ".git/go"), "");
    expect(await ended).toEqual([0, null]);
    await vi.waitUntil(() => git(root, "status", "--porcelain") === "", WAIT);
    onHost(root, "echo more >>b; git add -A; git commit -qm next");
    expect(deletions(root)).toBe("");
    expect(git(root, "ls-tree", "-r", "--name-only", "HEAD")).toContain(".envrc");
  });

  testContained("are not deleted by a concurrent git add -A on the host", async () => {
    const root = aProject();
    onHost(
      root,
      "git checkout -q team; for i in $(seq 200); do mkdir d$i; echo $i >d$i/f; done; git add -A; git commit -qm many; git checkout -q main",
    );
    const { view, scanner } = await openScannedProject(root);
    for (let round = 0; round < scaleRuns(3, 3); round++) {
      await scanner.before();
      await view.run("git checkout -q team");
      const adding = spawn("sh", ["-c", "git add -A; git commit -qm x --allow-empty"], {
        cwd: root,
        stdio: "ignore",
      });
      const ended = once(adding, "exit");
      await scanner.after();
      await ended;
      expect(deletions(root)).toBe("");
      await scanner.before();
      await view.run("git checkout -q main");
      await scanner.after();
    }
  });
});
