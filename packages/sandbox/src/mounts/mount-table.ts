import { attempt, isWithin } from "@haft/system";
import { lstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { nativePath, pathFromBytes } from "./raw-path.ts";

export interface MountEntry {
  path: string;
  /** Major and minor number of its device. */
  device: string;
  root: string;
  readOnly: boolean;
  /** Of the mount itself: `ro`, `nosuid` … */
  options: readonly string[];
}

/** What can be reached: at most one mount in each place. `text` is `/proc/self/mountinfo`. */
export function parseMountTable(text: string): MountEntry[] {
  const placed = text.split("\n").flatMap((line) => {
    const [ofMount = "", ofFileSystem = ""] = line.split(" - ");
    const [id = "", parent = "", device, root, path, options = ""] = ofMount.split(" ");
    if (device === undefined || root === undefined || path === undefined) return [];
    const own = options.split(",");
    const readOnly = [...own, ...(ofFileSystem.split(" ")[2] ?? "").split(",")].includes("ro");
    const entry = { path: unescaped(path), device, root: unescaped(root), readOnly, options: own };
    return [{ id, parent, entry }];
  });
  return seenOf(placed);
}

interface Placed {
  id: string;
  parent: string;
  entry: MountEntry;
}

function seenOf(table: readonly Placed[]): MountEntry[] {
  const byId = new Map(table.map((one) => [one.id, one]));
  const places = new Set(table.map(({ parent, entry }) => `${parent} ${entry.path}`));
  /** Does another one lie over its place, mounted on the same and nearer to the root? */
  const isBelow = new Map<Placed | undefined, boolean>([[undefined, false]]);
  const lookAbove = (one: Placed): boolean => {
    const { parent, entry } = one;
    const on = byId.get(parent);
    for (let at = entry.path; at !== on?.entry.path && at !== "/";) {
      at = dirname(at);
      if (places.has(`${parent} ${at}`)) return true;
    }
    return false;
  };
  const isCovered = (one: Placed | undefined): boolean => {
    const known = isBelow.get(one);
    if (known !== undefined || one === undefined) return known ?? false;
    isBelow.set(one, false);
    const found = lookAbove(one) || isCovered(byId.get(one.parent));
    isBelow.set(one, found);
    return found;
  };
  return table.flatMap((one) =>
    isCovered(one) || places.has(`${one.id} ${one.entry.path}`) ? [] : [one.entry],
  );
}

export function hostMountTable(): MountEntry[] {
  return parseMountTable(attempt(() => pathFromBytes(readFileSync("/proc/self/mountinfo"))) ?? "");
}

/** What is mounted below a folder and can be reached there, what is nearer to it first. */
export function listSubmounts(folder: string, table: readonly MountEntry[]): MountEntry[] {
  return table
    .filter(({ path }) => path !== folder && isWithin(path, folder))
    .filter(({ path }) => lstatSync(nativePath(path), { throwIfNoEntry: false }) !== undefined)
    .toSorted((one, other) => one.path.length - other.path.length);
}

/** Blanks and line breaks are written as octal numbers. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
