import { attempt, isWithin } from "@haft/workspace/internal/system";
import { lstatSync, readFileSync } from "node:fs";

/** Something that is mounted, as `/proc/self/mountinfo` says it. */
export interface MountEntry {
  path: string;
  /** Major and minor number of its device. */
  device: string;
  /** What of the file system is mounted. */
  root: string;
  readOnly: boolean;
  /** Of the mount itself: `ro`, `nosuid` … */
  options: readonly string[];
}

/** @param text of `/proc/self/mountinfo` */
export function parseMountTable(text: string): MountEntry[] {
  return text.split("\n").flatMap((line) => {
    const [ofMount = "", ofFileSystem = ""] = line.split(" - ");
    const [, , device, root, path, options = ""] = ofMount.split(" ");
    if (device === undefined || root === undefined || path === undefined) return [];
    const own = options.split(",");
    const readOnly = [...own, ...(ofFileSystem.split(" ")[2] ?? "").split(",")].includes("ro");
    return [{ path: unescaped(path), device, root: unescaped(root), readOnly, options: own }];
  });
}

/** What is mounted for this program; nothing where that cannot be known. */
export function hostMountTable(): MountEntry[] {
  return parseMountTable(attempt(() => readFileSync("/proc/self/mountinfo", "utf8")) ?? "");
}

/** What is mounted below a folder and can be reached there, what is nearer to it first. */
export function mountedBelow(folder: string, table: readonly MountEntry[]): MountEntry[] {
  const found = new Map<string, MountEntry>();
  // Of several in one place the last is the one that is seen.
  for (const entry of table) {
    if (entry.path !== folder && isWithin(entry.path, folder)) found.set(entry.path, entry);
  }
  return [...found.values()]
    .filter(({ path }) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    .toSorted((one, other) => one.path.length - other.path.length);
}

/** Blanks and line breaks are written as octal numbers. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
