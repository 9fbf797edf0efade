import type { FileStat, FileSystem, WriteResult } from "@haft/core";
import { HaftError } from "@haft/core";
import type { WriteOptions } from "@haft/core/internal";
import { setImmediate } from "node:timers/promises";
import { type FileOperation, memoryFailure } from "./failures.ts";
import { ROOT } from "./memory-paths.ts";
import {
  type FileNode,
  type FolderNode,
  newFile,
  type Node,
  put,
  stamp,
  memoryStat,
  take,
} from "./memory-tree.ts";
import { requireExisting, makeMemoryFolders, type PathInfo, walk } from "./memory-walk.ts";
import type { Guard } from "./protected-paths.ts";

const MAX_READ_BYTES = 64 * 2 ** 20;
/** Other work and aborts can occur between pieces. */
const PIECE_BYTES = 256 * 1024;
const MAX_ENTRIES = 10_000;

/** Follows the contract of every workspace: boundary, errors, links, versions, aborts. */
export function createMemoryFileSystem(root: FolderNode, guard: Guard): FileSystem {
  /** Throws if the path must not be changed. */
  const target = (asked: FileOperation, follow = true): PathInfo => {
    const place = walk(root, asked, follow);
    guard(place.path, asked);
    return place;
  };
  const parentOf = (place: PathInfo, asked: FileOperation, parents: boolean): FolderNode => {
    if (place.folder !== undefined) return place.folder;
    if (!parents) throw memoryFailure("FILE_NOT_FOUND", asked, { why: "its folder is not there" });
    return makeMemoryFolders(root, place.path.slice(0, place.path.lastIndexOf("/"))).folder;
  };

  async function write(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<WriteResult> {
    const asked = { verb: "write", path };
    const { mode = "replace", permissions, ifMatch, like, parents = true, signal, fence } = options;
    throwIfAborted(signal, asked);
    const copy = await copied(bytes, signal, asked);
    const place = target(asked, mode === "replace");
    const { node } = place;
    if (node?.type === "directory" || (node === undefined && place.mustBeFolder))
      throw memoryFailure("IS_DIRECTORY", asked);
    if (node !== undefined && mode === "create") throw memoryFailure("FILE_EXISTS", asked);
    if (place.mustBeFolder) throw memoryFailure("NOT_A_DIRECTORY", asked);
    if (node !== undefined && node.type !== "file") throw memoryFailure("NOT_A_FILE", asked);
    if (ifMatch !== undefined && (node?.version ?? null) !== ifMatch)
      throw memoryFailure("FILE_CHANGED", asked);
    const model = like === undefined ? undefined : walk(root, { verb: "read", path: like }).node;
    fence?.check();
    const made = newFile(copy, node?.mode ?? (model?.type === "file" ? model.mode : (permissions ?? 0o644)));
    put(parentOf(place, asked, parents), place.name, made);
    return { created: node === undefined, stat: memoryStat(made) };
  }

  async function append(
    path: string,
    bytes: Uint8Array,
    options: Pick<WriteOptions, "fence"> = {},
  ): Promise<WriteResult> {
    const asked = { verb: "append to", path };
    const place = target(asked);
    const { node } = place;
    if (node === undefined) return write(path, bytes, options);
    const file = fileAt({ ...place, node }, asked);
    if (file.links > 1) throw memoryFailure("HARD_LINKED", asked);
    options.fence?.check();
    const joined = new Uint8Array(file.bytes.length + bytes.length);
    joined.set(file.bytes);
    joined.set(bytes, file.bytes.length);
    Object.assign(file, { bytes: joined }, stamp());
    return { created: false, stat: memoryStat(file) };
  }

  return {
    stat: async (path, { follow = true } = {}) => {
      try {
        const { node, mustBeFolder } = walk(root, { verb: "look at", path }, follow);
        return node === undefined || (mustBeFolder && node.type !== "directory")
          ? undefined
          : memoryStat(node);
      } catch (thrown) {
        if (HaftError.is(thrown) && ["FILE_NOT_FOUND", "NOT_A_DIRECTORY"].includes(thrown.code))
          return undefined;
        throw thrown;
      }
    },
    realpath: async (path) => walk(root, { verb: "resolve", path }).path,
    list: async (path, { limit = MAX_ENTRIES } = {}) => {
      const { node } = requireExisting(root, { verb: "list", path });
      if (node.type !== "directory") throw memoryFailure("NOT_A_DIRECTORY", { verb: "list", path });
      const entries = [...node.entries].slice(0, limit).map(([name, { type }]) => ({ name, type }));
      return { entries, truncated: node.entries.size > limit };
    },
    read: async (path, { offset = 0, length, into, signal } = {}) => {
      const asked = { verb: "read", path };
      throwIfAborted(signal, asked);
      const file = fileAt(requireExisting(root, asked), asked);
      const stat: FileStat = memoryStat(file);
      const most = Math.min(length ?? Number.POSITIVE_INFINITY, into?.length ?? Number.POSITIVE_INFINITY);
      const end = Math.min(file.bytes.length, offset + most);
      const part = file.bytes.subarray(Math.min(offset, end), end);
      if (into === undefined && part.length > MAX_READ_BYTES) throw memoryFailure("FILE_TOO_LARGE", asked);
      const bytes = await copied(part, signal, asked, into);
      return { bytes, stat };
    },
    write,
    append,
    mkdirp: async (path, { fence } = {}) => {
      const asked = { verb: "create", path };
      const place = target(asked);
      if (place.node !== undefined && place.node.type !== "directory")
        throw memoryFailure("NOT_A_DIRECTORY", asked, { why: "a file stands there" });
      if (place.node === undefined) fence?.check();
      return makeMemoryFolders(root, place.path).made;
    },
    remove: async (path, { ifMatch, fence } = {}) => {
      const asked = { verb: "remove", path };
      const place = target(asked, false);
      const { folder, name, node } = place;
      if (node === undefined) throw memoryFailure("FILE_NOT_FOUND", asked);
      if (place.mustBeFolder && node.type !== "directory") throw memoryFailure("NOT_A_DIRECTORY", asked);
      if (folder === undefined) throw memoryFailure("READ_ONLY", asked);
      if (ifMatch !== undefined && node.version !== ifMatch) throw memoryFailure("FILE_CHANGED", asked);
      if (node.type === "directory" && node.entries.size > 0) throw memoryFailure("FILE_EXISTS", asked);
      fence?.check();
      take(folder, name);
    },
    rename: async (from, to, { ifMatch, replace = false, fence } = {}) => {
      const [asked, wanted] = [
        { verb: "move", path: from },
        { verb: "move to", path: to },
      ];
      const source = target(asked, false);
      const { node } = source;
      if (node === undefined) throw memoryFailure("FILE_NOT_FOUND", asked);
      if (source.mustBeFolder && node.type !== "directory") throw memoryFailure("NOT_A_DIRECTORY", asked);
      if (source.folder === undefined) throw memoryFailure("READ_ONLY", asked);
      const place = target(wanted, false);
      if (place.path === ROOT) throw memoryFailure("READ_ONLY", wanted);
      if (`${place.path}/`.startsWith(`${source.path}/`) && place.path !== source.path)
        throw memoryFailure("INVALID_PATH", wanted, { why: "it is inside of the folder itself" });
      if (place.folder === undefined)
        throw memoryFailure("FILE_NOT_FOUND", wanted, { why: "its folder is not there" });
      if (ifMatch !== undefined && node.version !== ifMatch) throw memoryFailure("FILE_CHANGED", asked);
      requireRoom(place, node, wanted, replace);
      fence?.check();
      source.folder.entries.delete(source.name);
      Object.assign(source.folder, stamp());
      put(place.folder, place.name, node);
    },
    check: async (path, access, { follow = true } = {}) => {
      const asked = { verb: access, path };
      try {
        const place = walk(root, asked, follow);
        if (access === "write") guard(place.path, asked);
      } catch (thrown) {
        if (HaftError.is(thrown) && thrown.category !== "policy") return;
        throw thrown;
      }
    },
  };
}

function requireRoom(
  { node, mustBeFolder }: PathInfo,
  moved: Node,
  asked: FileOperation,
  replace: boolean,
): void {
  if (mustBeFolder && moved.type !== "directory") throw memoryFailure("NOT_A_DIRECTORY", asked);
  if (node === undefined || node === moved) return;
  if (!replace) throw memoryFailure("FILE_EXISTS", asked);
  if (node.type === "directory" && moved.type !== "directory") throw memoryFailure("IS_DIRECTORY", asked);
  if (node.type !== "directory" && moved.type === "directory") throw memoryFailure("NOT_A_DIRECTORY", asked);
  if (node.type === "directory" && node.entries.size > 0) throw memoryFailure("FILE_EXISTS", asked);
}

function fileAt({ node, mustBeFolder }: PathInfo & { node: Node }, asked: FileOperation): FileNode {
  if (node.type === "directory") throw memoryFailure("IS_DIRECTORY", asked);
  if (mustBeFolder) throw memoryFailure("NOT_A_DIRECTORY", asked);
  if (node.type !== "file") throw memoryFailure("NOT_A_FILE", asked);
  return node;
}

async function copied(
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
  asked: FileOperation,
  into: Uint8Array = new Uint8Array(bytes.length),
): Promise<Uint8Array> {
  // An abort right after the call must come before any change.
  await Promise.resolve();
  throwIfAborted(signal, asked);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) {
      await setImmediate();
      throwIfAborted(signal, asked);
    }
    into.set(bytes.subarray(at, at + PIECE_BYTES), at);
  }
  return into.subarray(0, bytes.length);
}

function throwIfAborted(signal: AbortSignal | undefined, asked: FileOperation): void {
  if (signal?.aborted === true) throw memoryFailure("ABORTED", asked);
}
