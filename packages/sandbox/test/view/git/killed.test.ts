import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { conditions } from "../../../../../test/support/build-under-test.ts";
import { shareOf } from "../../../../../test/support/share.ts";
import { openGitBroker } from "../../../src/view/git/open-git-broker.ts";
import { outlastLock } from "../../../src/view/git/outlast-lock.ts";
import { tempFolder } from "../../support.ts";
import { aProject, git } from "./contained.ts";

const PROGRAM = fileURLToPath(new URL("broker-program.ts", import.meta.url));
const LOCKS = fileURLToPath(new URL("lock-program.ts", import.meta.url));
const WAITS = { timeout: 30_000, interval: 5 };

/** A host that holds a copy; answers where that is, as it is in a view. */
async function aHost(root: string, folder: string) {
  const program = spawn(process.execPath, [...conditions, PROGRAM, root, folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void program.kill("SIGKILL"));
  const [said] = (await once(program.stdout, "data")) as [Buffer];
  return {
    copy: join(said.toString().trim(), "config"),
    start: () => program.stdin.write("go\n"),
    async kill() {
      program.kill("SIGKILL");
      await once(program, "close");
    },
  };
}

async function nextHost(root: string, folder: string): Promise<void> {
  const broker = await openGitBroker({ roots: [root], folder, kept: tempFolder("kept") });
  expect(readdirSync(folder)).toHaveLength(1);
  expect(await broker.close()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
}

test("a host killed before it took back: the next one does, and only what is harmless", async () => {
  const { root } = aProject();
  const folder = tempFolder("git-state");
  const host = await aHost(root, folder);
  git(root, "config", "-f", host.copy, "branch.main.description", "what it is");
  git(root, "config", "-f", host.copy, "alias.st", "!evil");
  await host.kill();
  // Of one that came no further than this.
  const [name] = readdirSync(folder) as [string];
  mkdirSync(join(folder, name.replace(/\..*/, ".0")));
  await nextHost(root, folder);
  expect(git(root, "config", "branch.main.description")).toBe("what it is\n");
  expect(() => git(root, "config", "alias.st")).toThrow("Command failed");
});

test("hosts killed while they take back leave settings that say the old or the new, and no lock", async () => {
  const { root } = aProject();
  const folder = tempFolder("git-state");
  const rounds = shareOf([...Array(12).keys()], 4);
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
    // The user goes on, with whatever is there.
    expect(git(root, "config", "--local", "--list")).not.toContain("alias");
    await nextHost(root, folder);
    expect(git(root, "config", "branch.main.description")).toContain(`round ${round}`);
    git(root, "config", `host.round${round}`, "yes");
    expect(git(root, "status", "--porcelain")).toBe("");
  }
  expect(git(root, "config", "--get-regexp", "^host\\.").trim().split("\n")).toHaveLength(rounds.length);
});

test("a host killed while it holds the lock: the user's own git works again at once, without a next host", async () => {
  const { root } = aProject();
  const file = join(root, ".git/config");
  const program = spawn(process.execPath, [...conditions, LOCKS, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void program.kill("SIGKILL"));
  await once(program.stdout, "data");
  expect(() => git(root, "config", "user.name", "A Person")).toThrow("could not lock");
  program.kill("SIGKILL");
  await vi.waitFor(() => expect(lstatSync(`${file}.lock`, { throwIfNoEntry: false })).toBeUndefined(), WAITS);
  git(root, "config", "user.name", "A Person");
});

test("what outlasts a lock of a killed host leaves the one that somebody else has made since", async () => {
  const lock = join(tempFolder("lock"), "config.lock");
  const end = outlastLock(lock, "haft-1-1");
  symlinkSync("haft-2-2", lock);
  const ended = once(end(), "exit");
  await ended;
  expect(readlinkSync(lock)).toBe("haft-2-2");
});

test("a lock of a killed host goes, one of git stays", async () => {
  const { root } = aProject();
  const lock = join(root, ".git/config.lock");
  symlinkSync("haft-999999999-1", lock);
  const broker = await openGitBroker({
    roots: [root],
    folder: tempFolder("git-state"),
    kept: tempFolder("kept"),
  });
  expect(lstatSync(lock, { throwIfNoEntry: false })).toBeUndefined();
  symlinkSync("somebody", lock);
  git(root, "config", "-f", join(broker.places.extra[0]!.from, "config"), "push.default", "simple");
  expect((await broker.after(false)).join()).toContain(`somebody keeps ${lock}`);
  expect(lstatSync(lock).isSymbolicLink()).toBe(true);
  expect((await broker.close()).join()).toContain("push.default");
});
