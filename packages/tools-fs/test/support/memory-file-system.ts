import type { FileStat, FileSystem } from "@haft/core";
import { HaftError } from "@haft/core";
import { posix } from "node:path";

/** Files in memory, for tests that need very many trees: folders exist as far as files are in them. */
export interface MemoryFileSystem extends FileSystem {
  readonly files: Map<string, { bytes: Buffer; mode: number; version: string }>;
}

export function createMemoryFileSystem(files: Record<string, Buffer>): MemoryFileSystem {
  let versions = 0;
  const nextVersion = (): string => `v${(versions += 1)}`;
  const entries = new Map(
    Object.entries(files).map(([path, bytes]) => [
      `/${path}`,
      { bytes, mode: 0o644, version: nextVersion() },
    ]),
  );
  const at = (path: string): string => {
    const absolute = posix.resolve("/", path);
    if (path.split("/").includes("..") && absolute === "/") throw fail("OUTSIDE_WORKSPACE", path);
    return absolute;
  };
  const isFolder = (path: string): boolean => {
    const prefix = path === "/" ? "/" : `${path}/`;
    return path === "/" || [...entries.keys()].some((key) => key.startsWith(prefix));
  };
  const statOf = (path: string): FileStat | undefined => {
    const entry = entries.get(path);
    if (entry !== undefined) {
      const { bytes, mode, version } = entry;
      return { type: "file", size: bytes.length, mode, mtimeMs: 0, version, links: 1 };
    }
    if (!isFolder(path)) return undefined;
    return { type: "directory", size: 0, mode: 0o755, mtimeMs: 0, version: "folder", links: 1 };
  };
  const existing = (path: string): { bytes: Buffer; mode: number; version: string } => {
    const entry = entries.get(at(path));
    if (entry === undefined) throw fail(isFolder(at(path)) ? "IS_DIRECTORY" : "FILE_NOT_FOUND", path);
    return entry;
  };
  const requireVersion = (path: string, ifMatch: string | null | undefined): void => {
    if (ifMatch !== undefined && (entries.get(at(path))?.version ?? null) !== ifMatch)
      throw fail("FILE_CHANGED", path);
  };
  return {
    files: entries,
    stat: async (path) => statOf(at(path)),
    realpath: async (path) => at(path),
    list: async () => ({ entries: [], truncated: false }),
    read: async (path, { offset = 0, length = Number.POSITIVE_INFINITY, into } = {}) => {
      const { bytes } = existing(path);
      const end = Math.min(bytes.length, offset + Math.min(length, into?.length ?? length));
      return { bytes: Buffer.from(bytes.subarray(offset, end)), stat: statOf(at(path)) as FileStat };
    },
    write: async (path, bytes, { ifMatch, permissions } = {}) => {
      requireVersion(path, ifMatch);
      const target = at(path);
      if (isFolder(target)) throw fail("IS_DIRECTORY", path);
      for (let up = posix.dirname(target); up !== "/"; up = posix.dirname(up)) {
        if (entries.has(up)) throw fail("NOT_A_DIRECTORY", path);
      }
      const created = !entries.has(target);
      const mode = entries.get(target)?.mode ?? permissions ?? 0o644;
      entries.set(target, { bytes: Buffer.from(bytes), mode, version: nextVersion() });
      return { created, stat: statOf(target) as FileStat };
    },
    append: () => Promise.reject(new Error("not needed here")),
    mkdirp: async () => [],
    remove: async (path, { ifMatch } = {}) => {
      requireVersion(path, ifMatch);
      existing(path);
      entries.delete(at(path));
    },
    rename: async (from, to, { ifMatch, replace = false } = {}) => {
      requireVersion(from, ifMatch);
      const entry = existing(from);
      if (entries.has(at(to)) && !replace) throw fail("FILE_EXISTS", to);
      if (isFolder(at(to)) && !entries.has(at(to))) throw fail("IS_DIRECTORY", to);
      entries.delete(at(from));
      entries.set(at(to), entry);
    },
  };
}

function fail(code: string, path: string): HaftError {
  return new HaftError(code, `${code}: ${path}`, { category: "operational", details: { path } });
}
