import { attempt, isWithin } from "@haft/system";
import { lstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { nativePath, pathFromBytes } from "./raw-path.ts";

export interface MountEntry {
  path: string;
  device: string;
  root: string;
  readOnly: boolean;
  options: readonly string[];
}

/** Returns reachable mounts, at most one per path. */
export function parseMountTable(text: string): MountEntry[] {
  const placed = text.split("\n").flatMap((line) => {
    const [ofMount = "", ofFileSystem = ""] = line.split(" - ");
    const [id = "", parent = "", device, root, path, options = ""] = ofMount.split(" ");
    if (device === undefined || root === undefined || path === undefined) return [];
    const flags = options.split(",");
    const readOnly = [...flags, ...(ofFileSystem.split(" ")[2] ?? "").split(",")].includes("ro");
    const entry = { path: unescaped(path), device, root: unescaped(root), readOnly, options: flags };
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
  const mountPoints = new Set(table.map(({ parent, entry }) => `${parent} ${entry.path}`));
  /** True if a mount with the same parent covers its path. */
  const isBelow = new Map<Placed | undefined, boolean>([[undefined, false]]);
  const isAboveHidden = (one: Placed): boolean => {
    const { parent, entry } = one;
    const on = byId.get(parent);
    for (let at = entry.path; at !== on?.entry.path && at !== "/";) {
      at = dirname(at);
      if (mountPoints.has(`${parent} ${at}`)) return true;
    }
    return false;
  };
  const isCovered = (one: Placed | undefined): boolean => {
    const known = isBelow.get(one);
    if (known !== undefined || one === undefined) return known ?? false;
    isBelow.set(one, false);
    const found = isAboveHidden(one) || isCovered(byId.get(one.parent));
    isBelow.set(one, found);
    return found;
  };
  return table.flatMap((one) =>
    isCovered(one) || mountPoints.has(`${one.id} ${one.entry.path}`) ? [] : [one.entry],
  );
}

export function hostMountTable(): MountEntry[] {
  return parseMountTable(attempt(() => pathFromBytes(readFileSync("/proc/self/mountinfo"))) ?? "");
}

/** Nearest first, without unreachable mounts. */
export function listSubmounts(folder: string, table: readonly MountEntry[]): MountEntry[] {
  return table
    .filter(({ path }) => path !== folder && isWithin(path, folder))
    .filter(({ path }) => lstatSync(nativePath(path), { throwIfNoEntry: false }) !== undefined)
    .toSorted((one, other) => one.path.length - other.path.length);
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
