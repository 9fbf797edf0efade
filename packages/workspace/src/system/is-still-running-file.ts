import type { BigIntStats } from "node:fs";
import { closeSync, constants, openSync, statSync } from "node:fs";

const { O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/**
 * Is this the file that runs as this program, unwritten since, though its change time is another one? A further hard
 * link to it changes that time, and package managers make one for each project that brings the same Node. The system
 * lets nobody write to a file while it runs; where it does not say so, nothing is known, and the answer is no.
 *
 * @param path absolute, without links
 * @param then what it was when this program started
 */
export function isStillRunningFile(path: string, then: BigIntStats): boolean {
  if (process.platform !== "linux") return false;
  try {
    const now = statSync(path, { bigint: true });
    const runs = statSync("/proc/self/exe", { bigint: true });
    const same = (one: BigIntStats): boolean => one.dev === then.dev && one.ino === then.ino;
    if (!same(now) || !same(runs) || now.size !== then.size || now.mtimeNs !== then.mtimeNs) return false;
    closeSync(openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW));
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ETXTBSY";
  }
}
