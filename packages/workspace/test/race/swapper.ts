import { renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";

/** Swaps a folder for a link to another one and back, as fast as it can, until it is killed or orphaned. */
const [folder, aside, elsewhere] = process.argv.slice(2) as [string, string, string];
const parent = process.ppid;

while (process.ppid === parent) {
  for (let turn = 0; turn < 100; turn += 1) {
    renameSync(folder, aside);
    takeOver(() => symlinkSync(elsewhere, folder));
    unlinkSync(folder);
    takeOver(() => renameSync(aside, folder));
  }
}

/** Some operations create the folder while it is missing; theirs has to go, however long they keep filling it. */
function takeOver(swap: () => void): void {
  while (!succeeds(swap)) succeeds(() => rmSync(folder, { recursive: true, force: true }));
}

function succeeds(step: () => void): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}
