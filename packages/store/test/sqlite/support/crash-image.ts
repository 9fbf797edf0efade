import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** What is on the disk of a store that is open, as the kernel would have it after a kill: in a folder of its own. */
export function crashImage(path: string, name = "crashed"): string {
  const image = join(dirname(path), name, "haft.db");
  mkdirSync(dirname(image), { mode: 0o700 });
  for (const part of ["", "-wal", "-mark"]) {
    if (existsSync(`${path}${part}`)) copyFileSync(`${path}${part}`, `${image}${part}`);
  }
  return image;
}

/** Says of all processes that have runs in a file that they live no more, or were last heard of some time ago. */
export function updateHolders(path: string, change: { dead: true } | { silentForMs: number }): void {
  const db = new DatabaseSync(path);
  // No process has this number: it is above the largest there can be.
  if ("dead" in change) db.exec("UPDATE holders SET process = json_set(process, '$.pid', 4194305)");
  else db.prepare("UPDATE holders SET renewed = renewed - ?").run(change.silentForMs);
  db.close();
}
