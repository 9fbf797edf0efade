import { hostProgram, safePath, startProgram, getCurrentProcess } from "@haft/system";
import type { ChildProcess } from "node:child_process";

/** The other end of its input closes when it is no longer wanted, or this program was killed. */
const REMOVE_AFTERWARDS = 'read -r _; for lock; do [ "$(readlink "$lock")" = "$0" ] && rm -f "$lock"; done';

/** What the lock of this program leads to: in `.git` it can be opened by commands, and is to be told from one of git's. */
export function formatLockHolder(): string {
  const { pid, started } = getCurrentProcess();
  return `haft-${pid}-${started || ""}`;
}

/** Has a shell remove the locks that this program leaves when it is killed. Returns what ends the shell. */
export function startLockCleaner(locks: readonly string[]): () => ChildProcess {
  const shell = startProgram(hostProgram("sh"), ["-c", REMOVE_AFTERWARDS, formatLockHolder(), ...locks], {
    stdio: ["pipe", "ignore", "ignore"],
    // Whatever ends the group of this program is not to end it.
    detached: true,
    cwd: "/",
    env: { PATH: safePath() },
  });
  for (const each of [shell, shell.stdin!]) each.on("error", () => {});
  shell.unref();
  return () => {
    shell.stdin!.end();
    return shell;
  };
}
