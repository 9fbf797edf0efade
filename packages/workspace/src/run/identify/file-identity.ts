import type { FileIdentity } from "@haft/core";
import { RunnerError, attempt } from "@haft/system/processes";
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { RunnerProcesses } from "../../wire/protocol.ts";
import { findProgram, resolveShellProgram } from "../shell-program.ts";
import { findProgramAliases } from "./program-aliases.ts";

/** Larger files are compared by times only, because commands wait. */
const MAX_HASHED_BYTES = 16 * 1024 * 1024;
/** A file can change twice within a clock tick, so recent files are hashed. Covers two-second clocks. */
const FRESH_MS = 2_100;
interface Surroundings {
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/** A file that changes during every attempt counts as missing. */
const ATTEMPTS = 3;
const BUFFER_BYTES = 256 * 1024;
const SHEBANG_BYTES = 512;
const MAX_CONTENT_BYTES = 64 * 1024;
const ANY_EXECUTE = 0o111n;
type Wanted = boolean | "content";
const MAX_LINKS = 40;
const ABSENT = "absent";

/** A name with `/` is resolved from `cwd`, executable or not. */
export function identifyName(
  {
    name,
    hash = false,
    copies = false,
    content = false,
    shell = false,
  }: Parameters<RunnerProcesses["identify"]>[0][number],
  path: string | undefined,
  cwd: string,
): FileIdentity | undefined {
  const file = attempt(() => (shell ? resolveShellProgram(name, path, cwd) : fileOf(name, path, cwd)));
  const found = file === undefined ? undefined : identify(file, shell ? false : content ? "content" : hash);
  if (found === undefined || !copies) return found;
  return attempt(() => ({ ...found, copies: findProgramAliases(found.realPath, path) }));
}

function fileOf(name: string, path: string | undefined, cwd: string): string | undefined {
  if (name === "" || name.includes("\0")) return undefined;
  return name.includes("/") ? resolve(cwd, name) : findProgram(name, path, cwd);
}

export function identify(path: string, hash: Wanted): FileIdentity | undefined {
  return attempt(() => {
    for (let turn = 0; turn < ATTEMPTS; turn++) {
      const seen = inspect(path, hash);
      if (seen !== undefined) return seen;
    }
    return undefined;
  });
}

/** Checks identities last, so that a swap has only the time until the file is opened. @throws RunnerError `PLAN_CHANGED` */
export function checkUnchanged(expected: readonly FileIdentity[], surroundings: Surroundings): void {
  for (const one of expected) {
    if (one.sha256 === undefined) continue;
    const now = identify(one.path, true);
    if (now?.version === one.version && now.realPath === one.realPath && now.sha256 !== one.sha256) {
      throw changed(one.path, "changed its content");
    }
  }
  for (const one of expected) {
    if (one.name !== undefined) checkName(one.name, one, surroundings);
    if (one.name === undefined || one.version !== ABSENT) checkIdentity(one);
  }
}

/** An earlier folder of the PATH may have a new program. */
function checkName(name: string, { realPath, version }: FileIdentity, { env, cwd }: Surroundings): void {
  const now = attempt(() => findProgram(name, env["PATH"], cwd));
  if (now === undefined) return;
  if (version === ABSENT) throw changed(now, "appeared");
  if (attempt(() => realpathSync.native(now)) !== realPath)
    throw changed(now, `became the program ${JSON.stringify(name)}`);
}

function checkIdentity({ path, realPath, version, isTarget }: FileIdentity): void {
  const realNow = attempt(() => realpathSync.native(path));
  if (version === ABSENT) {
    if (realNow !== undefined) throw changed(path, "appeared");
    // Writing to a link creates its target.
    if (isTarget === true && leadsTo(path) !== realPath) throw changed(path, "changed its target");
    return;
  }
  const versionNow =
    realNow === undefined
      ? undefined
      : attempt(() => getIdentityVersion(statSync(realNow, { bigint: true })));
  if (versionNow === undefined) throw changed(path, "disappeared");
  if (realNow !== realPath) throw changed(path, `changed its target to ${JSON.stringify(realNow)}`);
  if (versionNow === version) return;
  const how = isAnother(versionNow, version) ? "was replaced" : "was changed or moved";
  throw changed(path, how);
}

function leadsTo(path: string): string | undefined {
  let at = resolve(path);
  for (let links = 0; links < MAX_LINKS; links++) {
    let rest = "";
    let folder = dirname(at);
    let real = attempt(() => realpathSync.native(folder));
    while (real === undefined && folder !== dirname(folder) && !isLink(folder)) {
      rest = join(basename(folder), rest);
      folder = dirname(folder);
      real = attempt(() => realpathSync.native(folder));
    }
    if (real === undefined) return undefined;
    const target = join(real, rest, basename(at));
    const link = attempt(() => readlinkSync(target));
    if (link === undefined) return target;
    at = resolve(dirname(target), link);
  }
  return undefined;
}

const isLink = (path: string): boolean => attempt(() => readlinkSync(path)) !== undefined;

function inspect(path: string, hash: Wanted): FileIdentity | undefined {
  const realPath = realpathSync.native(path);
  const before = statSync(realPath, { bigint: true });
  const version = getIdentityVersion(before);
  const isHashed =
    before.isFile() &&
    before.size <= MAX_HASHED_BYTES &&
    (hash !== false || Date.now() - Number(before.ctimeMs) < FRESH_MS);
  const isRead = before.isFile() && before.size <= MAX_CONTENT_BYTES && hash === "content";
  const isProgram = before.isFile() && (before.mode & ANY_EXECUTE) !== 0n;
  const content =
    isHashed || isProgram ? readContent(realPath, version, { isHashed, isProgram, isRead }) : {};
  if (content === "changed") return undefined;
  if (realpathSync.native(path) !== realPath) return undefined;
  return {
    path,
    realPath,
    version,
    ...(before.isDirectory() ? { isFolder: true } : {}),
    ...(isProgram ? { isExecutable: true } : {}),
    ...content,
  };
}

function readContent(
  realPath: string,
  version: string,
  { isHashed, isProgram, isRead }: { isHashed: boolean; isProgram: boolean; isRead: boolean },
): Pick<FileIdentity, "sha256" | "shebang" | "content"> | "changed" {
  // Does not wait if the file has become a pipe.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const fd = attempt(() => openSync(realPath, flags));
  if (fd === undefined) return {};
  try {
    const same = (): boolean => getIdentityVersion(fstatSync(fd, { bigint: true })) === version;
    if (!same()) return "changed";
    const shebang = isProgram ? shebangOf(fd) : undefined;
    const sha256 = isHashed ? hashOf(fd) : undefined;
    const content = isRead ? textOf(fd) : undefined;
    if (!same()) return "changed";
    return {
      ...(sha256 === undefined ? {} : { sha256 }),
      ...(shebang === undefined ? {} : { shebang }),
      ...(content === undefined ? {} : { content }),
    };
  } finally {
    closeSync(fd);
  }
}

function shebangOf(fd: number): string | undefined {
  const start = Buffer.alloc(SHEBANG_BYTES);
  const [line = ""] = start.toString("latin1", 0, readSync(fd, start, 0, start.length, 0)).split("\n", 1);
  return line.startsWith("#!") ? line.slice(2).trim() : undefined;
}

function textOf(fd: number): string {
  const buffer = Buffer.alloc(MAX_CONTENT_BYTES);
  return buffer.toString("utf8", 0, readSync(fd, buffer, 0, buffer.length, 0));
}

function hashOf(fd: number): string {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  for (let at = 0, read; (read = readSync(fd, buffer, 0, buffer.length, at)) > 0; at += read) {
    hash.update(buffer.subarray(0, read));
  }
  return hash.digest("hex");
}

/** Ignores the content of folders. Inode numbers are reused, so the birth time counts. */
export function getIdentityVersion(stats: BigIntStats): string {
  const { dev, ino, size, mtimeNs, ctimeNs, birthtimeNs } = stats;
  if (stats.isDirectory()) return `${dev}:${ino}:${birthtimeNs}`;
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

function isAnother(version: string, other: string): boolean {
  const [one, two] = [version.split(":"), other.split(":")];
  return one.length !== two.length || one[0] !== two[0] || one[1] !== two[1];
}

function changed(path: string, how: string): RunnerError {
  return new RunnerError("PLAN_CHANGED", `${JSON.stringify(path)} ${how} after the decision`);
}
