import type { HaftError, Mount } from "@haft/core";
import { isWithin } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { workspaceError } from "../errors.ts";

export interface MountTable {
  /** The main root comes first. Paths are real. */
  readonly mounts: readonly Mount[];
  byName(name: string): Mount | undefined;
  containing(path: string): Mount | undefined;
  at(path: string): Mount | undefined;
  /** `real`: the path to a mount contains no link, so `..` can be resolved as text. */
  above(path: string): "real" | "spelled" | undefined;
}

export interface MountTableOptions {
  root: string;
  rootAccess: "ro" | "rw";
  roots: Record<string, { path: string; access: "ro" | "rw" }>;
  wholeHost: boolean;
  home: string;
}

/** The name is longer than a Windows drive, and not `file`, which starts a URL. */
const ROOT_NAME = /^(?!file$)[A-Za-z][A-Za-z0-9_-]+$/;
export const WHOLE_HOST = "/";

/** @throws HaftError `ROOT_INVALID` */
export function createMountTable(options: MountTableOptions): MountTable {
  const spellings = new Map<string, Mount>();
  const above = new Map<string, "real" | "spelled">([["/", "real"]]);
  const mounts: Mount[] = [];

  const add = (name: string, path: string, access: "ro" | "rw"): void => {
    const spelled = resolve(path === "~" || path.startsWith("~/") ? options.home + path.slice(1) : path);
    const mount: Mount = { name, path: realFolder(name, spelled), access };
    const duplicate = mounts.find((other) => other.path === mount.path);
    if (duplicate !== undefined && duplicate.access !== access) {
      throw rootInvalid(name, `it is the same folder as ${label(duplicate.name)}, with other access`);
    }
    mounts.push(mount);
    for (const known of [mount.path, spelled]) if (!spellings.has(known)) spellings.set(known, mount);
    for (const folder of ancestors(mount.path)) above.set(folder, "real");
    for (const folder of ancestors(spelled)) if (!above.has(folder)) above.set(folder, "spelled");
  };

  add("", options.root, options.rootAccess);
  for (const [name, root] of Object.entries(options.roots)) {
    if (!ROOT_NAME.test(name)) {
      const rule = "two or more letters, digits, `-` or `_`, starts with a letter, and is not `file`";
      throw rootInvalid(name, `a name is ${rule}`);
    }
    add(name, root.path, root.access);
  }
  if (options.wholeHost) add(WHOLE_HOST, "/", "rw");

  const names = new Map(mounts.map((mount) => [mount.name, mount]));
  const innermostFirst = mounts.toSorted((one, other) => other.path.length - one.path.length);
  return {
    mounts,
    byName: (name) => names.get(name),
    containing: (path) => innermostFirst.find((mount) => isWithin(path, mount.path)),
    at: (path) => spellings.get(path),
    above: (path) => above.get(path),
  };
}

function realFolder(name: string, spelled: string): string {
  try {
    const real = realpathSync.native(spelled);
    if (statSync(real).isDirectory()) return real;
  } catch (thrown) {
    throw rootInvalid(name, `the folder ${JSON.stringify(spelled)} cannot be opened`, thrown);
  }
  throw rootInvalid(name, `${JSON.stringify(spelled)} is not a folder`);
}

function ancestors(path: string): string[] {
  const found: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    found.push(path.slice(0, end));
  return found;
}

function label(name: string): string {
  return name === "" ? "the main root" : `the root "${name}"`;
}

export function rootInvalid(name: string, why: string, cause?: unknown): HaftError {
  const message = `The workspace cannot be opened with ${label(name)}: ${why}.`;
  return workspaceError("ROOT_INVALID", message, withoutUndefined({ details: { root: name }, cause }));
}
