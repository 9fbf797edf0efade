import { readProcessIdentity } from "@haft/system";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { conditions } from "../../../../../test/support/build-under-test.ts";
import { pickShare } from "../../../../../test/support/share.ts";
import { openGitBroker } from "../../../src/view/git/open-git-broker.ts";
import { tempFolder } from "../../support.ts";
import { createProject, git } from "./contained.ts";

const PROGRAM = fileURLToPath(new URL("broker-program.ts", import.meta.url));
const WAITS = { timeout: 30_000, interval: 5 };

/** A host that holds a copy; answers where that is, as it is in a view. */
async function aHost(root: string, folder: string) {
  const program = spawn(process.execPath, [...conditions, PROGRAM, root, folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void program.kill("SIGKILL"));
  const [output] = (await once(program.stdout, "data")) as [Buffer];
  return {
    holder: `haft-${program.pid}-${readProcessIdentity(program.pid!)?.started}`,
    copy: join(output.toString().trim(), "config"),
    start: () => program.stdin.write("go\n"),
    async kill() {
      program.kill("SIGKILL");
      await once(program, "close");
    },
  };
}

/** Those that wait to remove a lock. */
function shellsOf(lock: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(`\0${lock}\0`);
    } catch {
      return false;
    }
  });
}

async function nextHost(root: string, folder: string): Promise<void> {
  const broker = await openGitBroker({ roots: [root], folder, backupFolder: tempFolder("kept") });
  expect(readdirSync(folder)).toHaveLength(1);
  expect(await broker.close()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
}

test("takes back harmless changes of a killed host", async () => {
  const { root } = createProject();
  const folder = tempFolder("git-state");
  const host = await aHost(root, folder);
  git(root, "config", "-f", host.copy, "branch.main.description", "what it is");
  git(root, "config", "-f", host.copy, "alias.st", "!evil");
  await host.kill();
  const [name] = readdirSync(folder) as [string];
  mkdirSync(join(folder, name.replace(/\..*/, ".0")));
  await nextHost(root, folder);
  expect(git(root, "config", "branch.main.description")).toBe("what it is\n");
  expect(() => git(root, "config", "alias.st")).toThrow("Command failed");
});

test("leaves old or new settings and no lock if a host is killed during the write", async () => {
  const { root } = createProject();
  const folder = tempFolder("git-state");
  const rounds = pickShare([...Array(12).keys()], 6);
  for (const round of rounds) {
    const host = await aHost(root, folder);
    git(
      root,
      "config",
      "-f",
      host.copy,
      `branch.main.description`,
      `round ${round} `.repeat(1 + (round % 3) * 400),
    );
    git(root, "config", "-f", host.copy, `alias.evil${round}`, "!evil");
    host.start();
    await sleep(round * 7);
    await host.kill();
    expect(git(root, "config", "--local", "--list")).not.toContain("alias");
    await nextHost(root, folder);
    expect(git(root, "config", "branch.main.description")).toContain(`round ${round}`);
    git(root, "config", `host.round${round}`, "yes");
    expect(git(root, "status", "--porcelain")).toBe("");
  }
  expect(git(root, "config", "--get-regexp", "^host\\.").trim().split("\n")).toHaveLength(rounds.length);
});

test("lets the user's git work at once if a host is killed while it holds the lock", async () => {
  const { root } = createProject();
  const host = await aHost(root, tempFolder("git-state"));
  const lock = join(root, ".git/config.lock");
  symlinkSync(host.holder, lock);
  expect(() => git(root, "config", "user.name", "A Person")).toThrow("could not lock");
  await host.kill();
  await vi.waitFor(() => expect(lstatSync(lock, { throwIfNoEntry: false })).toBeUndefined(), WAITS);
  git(root, "config", "user.name", "A Person");
});

test("leaves a lock of another program if a host is killed", async () => {
  const { root } = createProject();
  const host = await aHost(root, tempFolder("git-state"));
  const lock = join(root, ".git/config.lock");
  symlinkSync("haft-2-2", lock);
  const shells = shellsOf(lock);
  expect(shells).toHaveLength(1);
  await host.kill();
  await vi.waitFor(() => expect(shellsOf(lock)).toEqual([]), WAITS);
  expect(readlinkSync(lock)).toBe("haft-2-2");
});

test("removes a lock of a killed host, and leaves a lock of git", async () => {
  const { root } = createProject();
  const lock = join(root, ".git/config.lock");
  symlinkSync("haft-999999999-1", lock);
  const broker = await openGitBroker({
    roots: [root],
    folder: tempFolder("git-state"),
    backupFolder: tempFolder("kept"),
  });
  expect(lstatSync(lock, { throwIfNoEntry: false })).toBeUndefined();
  symlinkSync("somebody", lock);
  git(root, "config", "-f", join(broker.mounts.extra[0]!.from, "config"), "push.default", "simple");
  expect((await broker.after(false)).join()).toContain(`another program holds ${lock}`);
  expect(lstatSync(lock).isSymbolicLink()).toBe(true);
  expect((await broker.close()).join()).toContain("push.default");
});
