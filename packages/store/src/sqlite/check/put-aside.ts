import { renameSync } from "node:fs";

const PARTS = ["", "-wal", "-shm", "-mark"];

/**
 * Moves a file and what belongs to it out of the way, under a name that says when. Nothing of it is deleted.
 *
 * @returns the path it has now
 */
export function putAside(path: string, at = new Date()): string {
  const aside = `${path}.damaged-${at.toISOString().replaceAll(":", "-")}`;
  for (const part of PARTS) {
    try {
      renameSync(`${path}${part}`, `${aside}${part}`);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
    }
  }
  return aside;
}
