import { chownSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export { eventually } from "../../../test/support/until.ts";
export { catchFailure } from "../../workspace/test/contract/support.ts";

/** A folder that goes with the test; of who runs it, unless somebody else is named. */
export function tempFolder(name = "sandbox", owner?: number): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `haft-${name}-`)));
  if (owner !== undefined) chownSync(folder, owner, owner);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A user commands may be: never root. */
export const ORDINARY = process.getuid?.() === 0 ? 1000 : undefined;

/** Pids of living processes whose command line or environment holds one of these. */
export function processesWith(...texts: readonly string[]): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) =>
      ["cmdline", "environ"].some((file) => {
        try {
          const content = readFileSync(`/proc/${pid}/${file}`, "latin1");
          return texts.some((text) => content.includes(text));
        } catch {
          return false;
        }
      }),
    )
    .map(Number);
}

/** Of those, all that are still there: with the first of them others end. */
export function killAll(...texts: readonly string[]): void {
  for (const pid of processesWith(...texts)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown;
    }
  }
}
