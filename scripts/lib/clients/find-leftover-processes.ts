import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds for processes of an ended client on a busy machine. */
const PATIENCE_MS = 30_000;

/** Command lines that still name the folder after a while. */
export async function findLeftoverProcesses(folder: string): Promise<string[]> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = running().filter((line) => line.includes(folder));
    if (found.length === 0 || performance.now() > end) return found;
    await sleep(50);
  }
}

function running(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return [words.join(" ")];
      } catch {
        return [];
      }
    });
}
