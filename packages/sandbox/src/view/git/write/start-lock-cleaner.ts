import { hostProgram, safePath, startProgram, getCurrentProcess } from "@haft/system";
import type { ChildProcess } from "node:child_process";

/** Its stdin closes when this process ends. */
const REMOVE_AFTERWARDS = 'read -r _; for lock; do [ "$(readlink "$lock")" = "$0" ] && rm -f "$lock"; done';

export function formatLockHolder(): string {
  const { pid, started } = getCurrentProcess();
  return `haft-${pid}-${started || ""}`;
}

/** Removes locks if this process is killed. Returns a function that ends the shell. */
export function startLockCleaner(locks: readonly string[]): () => ChildProcess {
  const shell = startProgram(hostProgram("sh"), ["-c", REMOVE_AFTERWARDS, formatLockHolder(), ...locks], {
    stdio: ["pipe", "ignore", "ignore"],
    // Signals to this group must not end it.
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
