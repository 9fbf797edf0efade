import { readdirSync, renameSync, rmSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Returns the name of an old file; age 1 is the newest. */
export function getRotatedFile(path: string, age: number): string {
  return `${path}.${age}`;
}

export function listRotatedFiles(path: string): { path: string; age: number }[] {
  const name = `${basename(path)}.`;
  const ages = readdirSync(dirname(path)).flatMap((entry) =>
    entry.startsWith(name) && /^[1-9]\d{0,5}$/.test(entry.slice(name.length))
      ? [Number(entry.slice(name.length))]
      : [],
  );
  return ages
    .toSorted((one, other) => one - other)
    .map((age) => ({ path: join(dirname(path), `${name}${age}`), age }));
}

/**
 * Renames the file to the newest old file, ages the others, and removes surplus files. The next rotation fills the gap after a kill.
 *
 * @param isStill checks whether another process has already rotated
 */
export function rotateFiles(path: string, most: number, isStill: (found: Stats) => boolean): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !isStill(found)) return;
  const there = new Set(listRotatedFiles(path).map(({ age }) => age));
  let free = 1;
  while (free < most && there.has(free)) free++;
  for (let age = free - 1; age >= 1; age--)
    renameSync(getRotatedFile(path, age), getRotatedFile(path, age + 1));
  renameSync(path, getRotatedFile(path, 1));
  for (const old of listRotatedFiles(path)) if (old.age > most) rmSync(old.path, { force: true });
}
