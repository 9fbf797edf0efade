import type { Mount } from "@haft/core";
import { lstatSync, readlinkSync } from "node:fs";
import type { DenyList } from "../deny.ts";
import { failure, type Request } from "../failures.ts";
import type { MountTable } from "../mounts.ts";
import { parsePath } from "../parse-path.ts";
import { type Folder, type Folders, join } from "./folders.ts";

/** The entry itself may be a link, or missing. */
export interface EntryLocation {
  readonly mount: Mount;
  readonly folder: Folder;
  /** `.` if the path is a root or ends in `..`. */
  readonly name: string;
  /** Absolute and real, except for the entry itself. */
  readonly path: string;
  readonly rest: readonly string[];
  readonly mustBeFolder: boolean;
  readonly links: number;
}

export interface Walk {
  /** Resolves all but the last entry. Unless `keepLink` is set, follows a link that has to be a folder. */
  locate(request: Request, keepLink?: boolean): EntryLocation;
  resolve(request: Request): EntryLocation;
  follow(place: EntryLocation, request: Request): EntryLocation;
  enter(place: EntryLocation, request: Request): Folder;
}

export interface WalkOptions {
  table: MountTable;
  folders: Folders;
  deny: DenyList;
  home: string;
}

interface Way extends Pick<EntryLocation, "mustBeFolder" | "links"> {
  request: Request;
}

const MAX_LINKS = 40;

/**
 * Resolves paths as POSIX does, and follows links itself: `..` after a link is the parent of its target. Outside the mounts, it only
 * compares strings, so it does not disclose which files exist there.
 */
export function createWalk({ table, folders, deny, home }: WalkOptions): Walk {
  const main = table.mounts[0]!;
  const context = {
    home,
    isRoot: (name: string) => table.byName(name) !== undefined,
    existsInRoot(name: string) {
      const root = folders.at(main.path);
      return root !== undefined && lstatSync(root.entry(name), { throwIfNoEntry: false }) !== undefined;
    },
  };

  const locate = (request: Request, keepLink = false): EntryLocation => {
    const { root, components, folder: mustBeFolder } = parsePath(request.path, context);
    const start = root === undefined ? "/" : table.byName(root)!.path;
    const look = mustBeFolder && !keepLink;
    const way = { mustBeFolder: look, links: 0, request };
    const place = (look ? undefined : straight(start, components)) ?? go(start, components, way);
    return mustBeFolder && !place.mustBeFolder ? { ...place, mustBeFolder } : place;
  };

  /** The parent folder is cached, and without `..` its path proves that no link is on the way. */
  const straight = (start: string, components: readonly string[]): EntryLocation | undefined => {
    const name = components.at(-1);
    if (name === undefined || components.includes("..")) return undefined;
    const path = join(start, components.join("/"));
    const mount = table.containing(path);
    if (mount === undefined || mount.path === path) return undefined;
    const folder = folders.known(path.slice(0, -name.length - 1) || "/");
    if (folder === undefined || deny.denies(path)) return undefined;
    return { mount, folder, name, path, rest: [], mustBeFolder: false, links: 0 };
  };

  const go = (at: string, components: readonly string[], way: Way): EntryLocation => {
    const { mustBeFolder, request } = way;
    let here: Folder | undefined;
    for (const [index, name] of components.entries()) {
      if (name === "..") {
        at = parentOf(at, request);
        here = undefined;
        continue;
      }
      if (table.containing(at) === undefined) {
        at = towardsMount(join(at, name), request);
        continue;
      }
      here ??= folderAt(at, request);
      const rest = components.slice(index + 1);
      const place = (): EntryLocation => placeOf(here!, name, rest, way);
      if (rest.length === 0 && !mustBeFolder) return place();

      const next = folders.open(here, name);
      if (next === "link") {
        if (deny.denies(join(here.path, name))) throw failure("PATH_DENIED", request);
        return jump(here, name, rest, way);
      }
      if (next === "missing" || rest.length === 0) return place();
      if (next === "other") {
        throw failure("NOT_A_DIRECTORY", request, { why: `${JSON.stringify(name)} in it is not a folder` });
      }
      here = next;
      at = next.path;
    }
    if (table.containing(at) === undefined) throw failure("OUTSIDE_WORKSPACE", request);
    return placeOf(here ?? folderAt(at, request), ".", [], { ...way, mustBeFolder: true });
  };

  const jump = (folder: Folder, name: string, rest: readonly string[], way: Way): EntryLocation => {
    const { links, request } = way;
    if (links >= MAX_LINKS) throw failure("link-loop", request);
    const target = targetOf(folder, name, request);
    const start = target.startsWith("/") ? "/" : folder.path;
    const components = target.split("/").filter((part) => part !== "" && part !== ".");
    const mustBeFolder = way.mustBeFolder || (rest.length === 0 && /(?:^|\/)\.?$/.test(target));
    return go(start, [...components, ...rest], { mustBeFolder, links: links + 1, request });
  };

  const placeOf = (folder: Folder, name: string, rest: readonly string[], way: Way): EntryLocation => {
    const { mustBeFolder, links, request } = way;
    // POSIX: a missing folder has no parent.
    if (rest.includes("..")) throw failure("FILE_NOT_FOUND", request);
    const path = name === "." ? folder.path : join(folder.path, name);
    if (deny.denies(rest.length === 0 ? path : join(path, rest.join("/"))))
      throw failure("PATH_DENIED", request);
    return { mount: table.containing(path)!, folder, name, path, rest, mustBeFolder, links };
  };

  const parentOf = (at: string, request: Request): string => {
    const parent = at.slice(0, at.lastIndexOf("/")) || "/";
    const inside = table.containing(at) !== undefined || table.above(at) === "real";
    if (inside && (table.containing(parent) !== undefined || table.above(parent) === "real")) return parent;
    throw failure("OUTSIDE_WORKSPACE", request);
  };

  const towardsMount = (path: string, request: Request): string => {
    const mount = table.at(path);
    if (mount !== undefined) return mount.path;
    if (table.above(path) !== undefined) return path;
    throw failure("OUTSIDE_WORKSPACE", request);
  };

  const folderAt = (path: string, request: Request): Folder => {
    const known = folders.known(path);
    if (known !== undefined) return known;
    const mount = table.containing(path)!;
    let folder = folders.at(mount.path);
    if (folder === undefined) {
      throw failure("PATH_CHANGED", request, {
        why: "the root folder of the workspace is gone or has been replaced by a link",
        fix: "Restore the root folder, or open the workspace anew.",
      });
    }
    for (const name of path.slice(mount.path.length).split("/")) {
      if (name === "") continue;
      const next = folders.open(folder, name);
      if (typeof next === "string") throw failure("PATH_CHANGED", request);
      folder = next;
    }
    return folder;
  };

  const follow = (place: EntryLocation, request: Request): EntryLocation =>
    jump(place.folder, place.name, [], { mustBeFolder: place.mustBeFolder, links: place.links, request });

  const resolve = (request: Request): EntryLocation => {
    let place = locate(request);
    while (place.rest.length === 0 && place.name !== "." && isLink(place)) place = follow(place, request);
    return place;
  };

  const enter = (place: EntryLocation, request: Request): Folder => {
    if (place.name === ".") return place.folder;
    if (place.rest.length > 0) throw failure("FILE_NOT_FOUND", request);
    const folder = folders.open(place.folder, place.name);
    if (folder === "missing") throw failure("FILE_NOT_FOUND", request);
    if (folder === "other") throw failure("NOT_A_DIRECTORY", request);
    if (folder === "link") throw failure("PATH_CHANGED", request);
    return folder;
  };

  return { locate, resolve, follow, enter };
}

function targetOf(folder: Folder, name: string, request: Request): string {
  try {
    return readlinkSync(folder.entry(name));
  } catch (thrown) {
    throw failure("PATH_CHANGED", request, { cause: thrown });
  }
}

function isLink(place: EntryLocation): boolean {
  const entry = place.folder.entry(place.name);
  return lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
