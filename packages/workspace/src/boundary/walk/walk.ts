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

/** Returns the path with its missing rest. */
export function locationPath({ path, rest }: EntryLocation): string {
  return rest.length === 0 ? path : join(path, rest.join("/"));
}

export interface Walk {
  /** Resolves all but the last entry. Without `keepLink`, follows a link that has to be a folder. */
  locate(request: Request, keepLink?: boolean): EntryLocation;
  resolve(request: Request): EntryLocation;
  follow(location: EntryLocation, request: Request): EntryLocation;
  enter(location: EntryLocation, request: Request): Folder;
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

/** Resolves `..` after a link to the parent of its target. Outside the mounts, it does not disclose which files exist. */
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
    const followsLink = mustBeFolder && !keepLink;
    const way = { mustBeFolder: followsLink, links: 0, request };
    const location = (followsLink ? undefined : straight(start, components)) ?? go(start, components, way);
    return mustBeFolder && !location.mustBeFolder ? { ...location, mustBeFolder } : location;
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
      const location = (): EntryLocation => locationOf(here!, name, rest, way);
      if (rest.length === 0 && !mustBeFolder) return location();

      const next = folders.open(here, name);
      if (next === "link") {
        if (deny.denies(join(here.path, name))) throw failure("PATH_DENIED", request);
        return jump(here, name, rest, way);
      }
      if (next === "missing" || rest.length === 0) return location();
      if (next === "other") {
        throw failure("NOT_A_DIRECTORY", request, { why: `${JSON.stringify(name)} in it is not a folder` });
      }
      here = next;
      at = next.path;
    }
    if (table.containing(at) === undefined) throw failure("OUTSIDE_WORKSPACE", request);
    return locationOf(here ?? folderAt(at, request), ".", [], { ...way, mustBeFolder: true });
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

  const locationOf = (folder: Folder, name: string, rest: readonly string[], way: Way): EntryLocation => {
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

  const follow = (location: EntryLocation, request: Request): EntryLocation =>
    jump(location.folder, location.name, [], {
      mustBeFolder: location.mustBeFolder,
      links: location.links,
      request,
    });

  const resolve = (request: Request): EntryLocation => {
    let location = locate(request);
    while (location.rest.length === 0 && location.name !== "." && isLink(location))
      location = follow(location, request);
    return location;
  };

  const enter = (location: EntryLocation, request: Request): Folder => {
    if (location.name === ".") return location.folder;
    if (location.rest.length > 0) throw failure("FILE_NOT_FOUND", request);
    const folder = folders.open(location.folder, location.name);
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

function isLink(location: EntryLocation): boolean {
  const entry = location.folder.entry(location.name);
  return lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
