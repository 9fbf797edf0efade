import * as fs from "node:fs";
import { resolve } from "node:path";
import { HaftError } from "@haft/plugin-sdk";
import type { FileSystem, Workspace } from "@haft/plugin-sdk";
import type { DirectoryEntry, FileStat } from "@haft/core";

/** A workspace without a boundary: just enough of the port for tests of the tools that look. */
export function nodeWorkspace(root: string): Workspace {
  return {
    fs: nodeFileSystem(root),
    describe: () => ({
      place: "host",
      cwd: root,
      mounts: [{ name: "", path: root, access: "rw" }],
      boundary: "none",
    }),
  };
}

function nodeFileSystem(root: string): FileSystem {
  const at = (path: string): string => resolve(root, path);
  const unsupported = (): never => {
    throw new Error("These tests only look.");
  };
  return {
    async stat(path, options) {
      const stat = options?.follow === false ? fs.lstatSync : fs.statSync;
      const found = stat(at(path), { bigint: true, throwIfNoEntry: false });
      return found && describe(found);
    },
    async realpath(path) {
      return translated(path, () => fs.realpathSync(at(path)));
    },
    async list(path, options) {
      const all = translated(path, () => fs.readdirSync(at(path), { withFileTypes: true }));
      const entries = all.map((entry): DirectoryEntry => ({ name: entry.name, type: typeOf(entry) }));
      const limit = options?.limit ?? 10_000;
      return { entries: entries.slice(0, limit), truncated: entries.length > limit };
    },
    async read(path, { offset = 0, length, into } = {}) {
      const file = translated(path, () => fs.openSync(at(path), "r"));
      try {
        const stat = describe(fs.fstatSync(file, { bigint: true }));
        if (stat.type === "directory") throw new HaftError("IS_DIRECTORY", `${path} is a directory`, INPUT);
        const most = Math.min(length ?? stat.size, into?.length ?? stat.size, Math.max(0, stat.size - offset));
        const buffer = into ?? Buffer.allocUnsafeSlow(most);
        const got = fs.readSync(file, buffer, 0, most, offset);
        return { bytes: buffer.subarray(0, got), stat };
      } finally {
        fs.closeSync(file);
      }
    },
    write: unsupported,
    append: unsupported,
    mkdirp: unsupported,
    remove: unsupported,
    rename: unsupported,
  };
}

const INPUT = { category: "input" } as const;

function describe(stat: fs.BigIntStats): FileStat {
  return {
    type: typeOf(stat),
    size: Number(stat.size),
    mode: Number(stat.mode & 0o7777n),
    mtimeMs: Number(stat.mtimeMs),
    links: Number(stat.nlink),
    version: `${stat.ino}-${stat.size}-${stat.mtimeNs}-${stat.ctimeNs}`,
  };
}

function typeOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FileStat["type"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

function translated<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") throw new HaftError("FILE_NOT_FOUND", `No ${path}`, INPUT);
    throw error;
  }
}
