import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** What runs the commands of sandboxes and views that this program or one it started has open: the second processes there. */
function runners(): number[] {
  const seen = readdirSync("/proc").flatMap((name) => {
    try {
      const status = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/status`, "latin1") : "";
      const [parent] = status.match(/(?<=^PPid:\t)\d+/m) ?? [];
      const numbers = status.match(/(?<=^NSpid:\t).*/m)?.[0].split("\t") ?? [];
      return parent === undefined ? [] : [{ pid: Number(name), parent: Number(parent), numbers }];
    } catch {
      return [];
    }
  });
  const below = new Set([process.pid]);
  for (let size = 0; size < below.size;) {
    size = below.size;
    for (const { pid, parent } of seen) if (below.has(parent)) below.add(pid);
  }
  return seen.flatMap(({ pid, numbers }) =>
    below.has(pid) && numbers.length > 1 && numbers.at(-1) === "2" ? [pid] : [],
  );
}

/** From outside, as nobody inside can. */
export function signalRunners(signal: NodeJS.Signals): void {
  for (const pid of runners()) process.kill(pid, signal);
}

/** Of a command in a folder that {@link watchForAsking} watches. */
export const ASK_FOR_SIGNAL = ": >signal-the-runner";

/** Signals the runners whenever a command has asked for it, until the test has finished. */
export function watchForAsking(folder: string, signal: NodeJS.Signals = "SIGKILL"): void {
  const asked = join(folder, "signal-the-runner");
  const timer = setInterval(() => {
    if (!existsSync(asked)) return;
    rmSync(asked);
    signalRunners(signal);
  }, 10);
  onTestFinished(() => clearInterval(timer));
}
