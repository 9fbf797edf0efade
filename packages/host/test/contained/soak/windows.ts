import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { openContained } from "../escapes/contained-host.ts";

/** What came of it. */
export interface WindowCount {
  /** Times that the user replaced the settings, and so took the link off that hides them. */
  windows: number;
  /** Times that something of the command's was put back after that. */
  putBack: number;
  /** Times that the user's git could have read something of the command's. */
  readable: number;
  /** Milliseconds in which the user's git would have read something of the command's: in the middle, and at most. */
  readableMs: { median: number; most: number };
}

/**
 * Waits for the real settings to be uncovered, adds a program to them, and goes on adding with the file it has open. It makes the lock of
 * git, too, so that nobody else gets it.
 */
const ATTACK = `
exec 8<> <(:)
for (( ; ; )); do
  if [[ ! -L .git/config ]]; then
    exec 9>>.git/config && printf '[alias]\\n\\tst = !touch pwned\\n' >&9
    : >.git/config.lock
  elif [[ -e /proc/self/fd/9 ]]; then printf '[core]\\n\\tfsmonitor = touch pwned\\n' >&9
  fi
  read -r -t 0.003 -u 8
done`;

const READER = `
const { readFileSync } = require("node:fs");
const found = [];
let since;
setInterval(() => {
  const isThere = readFileSync(process.argv[1], "utf8").includes("pwned");
  if (isThere) since ??= performance.now();
  else if (since !== undefined) { found.push(performance.now() - since); since = undefined; }
}, 1);
process.stdin.resume().on("end", () => { console.log(JSON.stringify(found)); process.exit(); });`;

/**
 * A command that tries to get into the settings of git in the moment after the user replaced them. After the next answer there is
 * nothing of it, though it goes on, and what the user set is there.
 *
 * @throws Error that says what was there, or that the command never came so far
 */
export async function hitWindows(windows: number): Promise<WindowCount> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-windows-")));
  // Not waited for in one step: Haft is in this program.
  const git = async (...args: string[]) => {
    const child = spawn("git", args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    const [printed, [status]] = await Promise.all([
      text(child.stdout),
      once(child, "close") as Promise<[number]>,
    ]);
    return { status, said: printed };
  };
  await git("init", "-q", "-b", "main");
  const contained = await openContained({ workspaceDir: folder });
  // A program of its own, as the user's git is: what is in this one waits for what Haft does.
  const reader = spawn(process.execPath, ["-e", READER, join(folder, ".git/config")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let putBack = 0;
  const evil = async () => (await git("config", "--local", "--get-regexp", "^(alias|core.fsmonitor)")).said;
  try {
    for (let at = 1; at <= windows; at++) {
      // It ends after a minute.
      if (at % 30 === 1) await contained.run(ATTACK, {}, true);
      // Whoever finds it locked tries again, and looks after it in the end: a link is Haft's, which is at work.
      const lock = join(folder, ".git/config.lock");
      for (let tried = 1; (await git("config", "user.name", `Person ${at}`)).status !== 0; tried++) {
        await sleep(20);
        const isFile = lstatSync(lock, { throwIfNoEntry: false })?.isFile() === true;
        if (tried % 5 === 0 && isFile) rmSync(lock, { force: true });
      }
      await sleep(20);
      // A machine that stands still for seconds loses its runner: then that was no answer, and the next one is.
      for (
        let tried = 0;
        tried === 0 || (tried < 5 && contained.lastOutcome().includes("RUNNER_LOST"));
        tried++
      )
        await contained.run(`: ${at} ${tried}`, {});
      if (contained.lastOutcome().includes("Held back")) putBack++;
      for (let again = 0; again < 3; again++) {
        const found = await evil();
        if (found !== "") throw new Error(`after window ${at}: ${found}\n${contained.lastOutcome()}`);
        await sleep(5);
      }
      const name = (await git("config", "--local", "user.name")).said;
      if (name !== `Person ${at}\n`)
        throw new Error(`the user's setting is ${name} after window ${at}\n${contained.lastOutcome()}`);
    }
    if (putBack === 0) throw new Error("the command never got at the settings, so nothing was tried");
    reader.stdin.end();
    const readable = (JSON.parse(await text(reader.stdout)) as number[]).toSorted(
      (one, other) => one - other,
    );
    return {
      windows,
      putBack,
      readable: readable.length,
      readableMs: { median: readable[readable.length >> 1] ?? 0, most: readable.at(-1) ?? 0 },
    };
  } finally {
    reader.kill();
    await contained.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
