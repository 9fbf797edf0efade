import * as fs from "node:fs";
import * as path from "node:path";
import { HaftError } from "@haft/core";
import type { FileStat, FileSystem, Workspace } from "@haft/core";

export function nodeWorkspace(root: string): Workspace {
  return {
    fs: nodeFileSystem(root),
    describe: () => ({ place: "host", cwd: root, mounts: [{ name: "", path: root, access: "rw" }], boundary: "none" }),
  };
}
function toStat(s: fs.BigIntStats): FileStat {
  return {
    type: s.isFile() ? "file" : s.isDirectory() ? "directory" : s.isSymbolicLink() ? "symlink" : "other",
    size: Number(s.size), mode: Number(s.mode & 0o7777n), mtimeMs: Number(s.mtimeMs), links: Number(s.nlink),
    version: `${s.dev}-${s.ino}-${s.size}-${s.mtimeNs}-${s.ctimeNs}`,
  };
}
function fail(error: unknown, name: string): never {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") throw new HaftError("FILE_NOT_FOUND", `File not found: ${name}`, { category: "input" });
  if (code === "EISDIR") throw new HaftError("IS_DIRECTORY", `${name} is a directory`, { category: "input" });
  throw error;
}
function nodeFileSystem(root: string): FileSystem {
  const at = (p: string) => path.resolve(root, p);
  const no = () => { throw new Error("not in this test double"); };
  return {
    async stat(p, o) { try { return toStat((o?.follow === false ? fs.lstatSync : fs.statSync)(at(p), { bigint: true })); } catch { return undefined; } },
    async realpath(p) { return fs.realpathSync(at(p)); },
    async list(p) {
      try { return { entries: fs.readdirSync(at(p), { withFileTypes: true }).map((e) => ({ name: e.name, type: e.isFile() ? "file" as const : e.isDirectory() ? "directory" as const : e.isSymbolicLink() ? "symlink" as const : "other" as const })), truncated: false }; } catch (e) { return fail(e, p); }
    },
    async read(p, o = {}) {
      let fd: number;
      try { fd = fs.openSync(at(p), "r"); } catch (e) { return fail(e, p); }
      try {
        const stat = toStat(fs.fstatSync(fd, { bigint: true }));
        if (stat.type === "directory") throw new HaftError("IS_DIRECTORY", `${p} is a directory`, { category: "input" });
        const offset = o.offset ?? 0;
        const length = Math.min(o.length ?? Infinity, o.into?.length ?? Infinity, Math.max(0, stat.size - offset));
        const into = o.into ?? Buffer.allocUnsafeSlow(length);
        const n = fs.readSync(fd, into, 0, length, offset);
        return { bytes: into.subarray(0, n), stat };
      } finally { fs.closeSync(fd); }
    },
    write: no, append: no, mkdirp: no, remove: no, rename: no,
  };
}
