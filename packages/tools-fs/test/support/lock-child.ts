/**
 * Adds one to the number in the file given first, as often as the second argument says, each time
 * under the lock of that file in the folder given third; with `hang` in fourth place it holds the lock.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { withPathLocks } from "../../src/changes/locks/path-locks.ts";

const [file = "", times = "0", folder = "", mode] = process.argv.slice(2);
const target = { path: file, real: file };
for (let n = 0; n < Number(times); n += 1) {
  await withPathLocks(
    [target],
    async () => {
      if (mode === "hang") {
        process.stdout.write("held\n");
        await sleep(60_000);
      }
      const value = Number(readFileSync(file, "utf8"));
      await sleep(0);
      writeFileSync(file, String(value + 1));
    },
    { folder },
  );
}
