import { hostProgram, safePath, startProgram } from "@haft/workspace/internal/system";
import type { ChildProcess } from "node:child_process";

/** The other end closes when the lock is given back, or its holder is killed. */
const REMOVE_AFTERWARDS = 'read -r _; [ "$(readlink "$1")" = "$2" ] && rm -f "$1"';

/**
 * Has a shell remove a lock when this program is killed while it holds it: the user's own git would say until the next session that it
 * could not lock the file.
 *
 * @param lock a link that is to be made
 * @param holder what it leads to
 * @returns what ends the shell, once the lock is gone
 */
export function outlastLock(lock: string, holder: string): () => ChildProcess {
  const shell = startProgram(hostProgram("sh"), ["-c", REMOVE_AFTERWARDS, "sh", lock, holder], {
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
