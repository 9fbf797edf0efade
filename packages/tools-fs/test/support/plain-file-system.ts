import { randomBytes } from "node:crypto";
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import type { Stats } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { FileStat, FileSystem, Workspace } from "@haft/core";
import { HaftError } from "@haft/core";

/** The port over node:fs, with a plain check of the boundary: enough to test what is built on it. */
export function createPlainFileSystem(root: string): FileSystem {
  const at = (path: string): string => {
    const absolute = resolve(root, path);
    if (absolute !== root && !absolute.startsWith(root + sep)) throw fail("OUTSIDE_WORKSPACE", path);
    return absolute;
  };
  const find = async (path: string, follow = true): Promise<FileStat | undefined> => {
    try {
      return toStat(await (follow ? stat : lstat)(at(path)));
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
      throw translate(error, path);
    }
  };
  const requireMatch = async (
    path: string,
    ifMatch: string | null | undefined,
    follow = true,
  ): Promise<void> => {
    if (ifMatch === undefined) return;
    const found = await find(path, follow);
    if (ifMatch === null && found !== undefined) throw fail("FILE_EXISTS", path);
    if (ifMatch !== null && found?.version !== ifMatch) throw fail("FILE_CHANGED", path);
  };
  const guard = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translate(error, path);
    }
  };
  const fs: FileSystem = {
    stat: (path, options) => find(path, options?.follow),
    realpath: (path) =>
      guard(path, async () => {
        const absolute = at(path);
        try {
          return await realpath(absolute);
        } catch (error) {
          if (codeOf(error) !== "ENOENT") throw error;
          return join(await realpath(dirname(absolute)), basename(absolute));
        }
      }),
    list: (path) =>
      guard(path, async () => {
        const entries = await readdir(at(path), { withFileTypes: true });
        return { entries: entries.map(({ name }) => ({ name, type: "file" as const })), truncated: false };
      }),
    read: (path, options = {}) =>
      guard(path, async () => {
        await using file = await open(at(path), "r");
        const facts = toStat(await file.stat());
        if (facts.type === "directory") throw fail("IS_DIRECTORY", path);
        const offset = options.offset ?? 0;
        const length = Math.max(0, Math.min(options.length ?? facts.size, facts.size - offset));
        const buffer = options.into ?? Buffer.allocUnsafe(length);
        const { bytesRead } = await file.read(buffer, 0, Math.min(length, buffer.length), offset);
        return { bytes: buffer.subarray(0, bytesRead), stat: facts };
      }),
    write: (path, bytes, options = {}) =>
      guard(path, async () => {
        await requireMatch(path, options.ifMatch);
        const before = await find(path);
        if (before?.type === "directory") throw fail("IS_DIRECTORY", path);
        const target = at(path);
        await mkdir(dirname(target), { recursive: true });
        const temporary = join(dirname(target), `.${randomBytes(6).toString("hex")}.tmp`);
        await writeFile(temporary, bytes);
        const mode = before?.mode ?? options.permissions;
        if (mode !== undefined) await chmod(temporary, mode);
        await rename(temporary, target);
        return { created: before === undefined, stat: (await find(path)) as FileStat };
      }),
    append: () => Promise.reject(new Error("not needed here")),
    mkdirp: (path) =>
      guard(path, async () => {
        const first = await mkdir(at(path), { recursive: true });
        return first === undefined ? [] : [first];
      }),
    remove: (path, options = {}) =>
      guard(path, async () => {
        await requireMatch(path, options.ifMatch, false);
        const target = at(path);
        await ((await lstat(target)).isDirectory() ? rmdir(target) : unlink(target));
      }),
    rename: (from, to, options = {}) =>
      guard(from, async () => {
        await requireMatch(from, options.ifMatch, false);
        if (options.replace !== true && (await find(to, false)) !== undefined) throw fail("FILE_EXISTS", to);
        await rename(at(from), at(to));
      }),
  };
  return fs;
}

export function createPlainWorkspace(root: string): Workspace {
  const fs = createPlainFileSystem(root);
  return {
    fs,
    describe: () => ({
      place: "host",
      cwd: root,
      mounts: [{ name: "", path: root, access: "rw" }],
      boundary: "best-effort",
    }),
  };
}

export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

function toStat(facts: Stats): FileStat {
  const type = facts.isFile()
    ? "file"
    : facts.isDirectory()
      ? "directory"
      : facts.isSymbolicLink()
        ? "symlink"
        : "other";
  const { size, mtimeMs, nlink: links, ino, dev, ctimeMs } = facts;
  const version = [dev, ino, size, mtimeMs, ctimeMs].join(":");
  return { type, size, mode: facts.mode & 0o7777, mtimeMs, version, links };
}

const CODES: Record<string, string> = {
  ENOENT: "FILE_NOT_FOUND",
  ENOTDIR: "FILE_NOT_FOUND",
  EISDIR: "IS_DIRECTORY",
  EACCES: "ACCESS_DENIED",
  EEXIST: "FILE_EXISTS",
  ENOSPC: "DISK_FULL",
};

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}

function translate(error: unknown, path: string): unknown {
  return HaftError.is(error) ? error : fail(CODES[codeOf(error)] ?? "IO", path, error);
}

function fail(code: string, path: string, cause?: unknown): HaftError {
  return new HaftError(code, `${code}: ${path}`, { category: "operational", details: { path }, cause });
}
