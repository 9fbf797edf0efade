import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../attempt.ts";
import { readRegularFile } from "../files/read-regular-file.ts";
import { temporaryName } from "../files/temporary-name.ts";
import { findHostProgram } from "../programs/host-program.ts";
import { runProgramSync } from "../programs/start-program.ts";
import type { Comparison } from "./compare-attributes.ts";
import { grantAccess } from "./grant-access.ts";

/** Controls {@link replaceFile}. */
export interface ReplaceFileOptions {
  /** Mode of a new file, less the umask. Default `0o666`. */
  mode?: number;
  /** Flushes the content to disk before the rename, so that a power loss does not leave an empty file. Default false. */
  flush?: boolean;
  /** Runs last, with the real path. If it throws, the file stays unchanged. */
  check?: (real: string) => void;
}

/** Limits files that can be restored after a failed write in place, in bytes. */
const LARGEST = 256 * 1024 * 1024;

/**
 * Writes a file of a person completely or not at all, in an existing folder. A replaced file keeps its mode, owner, access list and
 * attributes, if necessary by a write in place. Symbolic links stay. The last of several writers counts.
 *
 * @throws the system's error; the file is then unchanged, without other remains
 * @example
 * ```ts run
 * import { readFileSync } from "node:fs";
 * import { replaceFile } from "@haft/system";
 * replaceFile("settings.json", '{ "theme": "dark" }\n', { flush: true });
 * readFileSync("settings.json", "utf8"); // => '{ "theme": "dark" }\n'
 * ```
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o666, flush = false, check }: ReplaceFileOptions = {},
): void {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  const real = isThere ? realpathSync(path) : path;
  // A rename needs no permission on the file, so a read-only file needs this check.
  if (isThere) accessSync(real, constants.W_OK);
  const draft = join(dirname(real), temporaryName());
  // Only this user reads unfinished files.
  const file = openSync(draft, "wx", isThere ? 0o600 : mode);
  try {
    const isAlike = !isThere || copyFileAccess(real, file);
    // A single write to a full disk takes only a part, silently.
    writeFileSync(file, content);
    if (flush || !isAlike) fsyncSync(file);
    check?.(real);
    if (isAlike) renameSync(draft, real);
    else writeOver(real, content);
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

/**
 * Gives an open, empty file the owner, mode, access list and attributes of another file. If the system does not permit that, it gets fewer
 * permissions, never more. The call waits for a program, so avoid it in frequent calls.
 *
 * @returns whether owner, access list and attributes are the same now
 * @example
 * ```ts
 * import { openSync } from "node:fs";
 * import { copyFileAccess } from "@haft/system";
 * const draft = openSync("notes.md.new", "wx", 0o600);
 * const isAlike = copyFileAccess("notes.md", draft);
 * ```
 */
export function copyFileAccess(path: string, file: number): boolean {
  const old = openSync(path, LOOK);
  try {
    const stats = regular(path, old);
    return grantAccess(file, stats, Number(stats.mode), copyAttributes(old, file));
  } finally {
    closeSync(old);
  }
}

/** Linux: `O_PATH` needs no right to read. */
const LOOK =
  (process.platform === "linux" ? 0o10000000 : constants.O_RDONLY | constants.O_NONBLOCK) |
  constants.O_NOFOLLOW;

function regular(path: string, file: number): BigIntStats {
  const stats = fstatSync(file, { bigint: true });
  if (!stats.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: "EINVAL" });
  return stats;
}

/** GNU `cp` fails unless it copies everything. */
function copyAttributes(from: number, to: number): Comparison | undefined {
  if (process.platform !== "linux") return "same";
  return attempt(() => {
    const { program } = findHostProgram("cp");
    const pid = readlinkSync("/proc/self");
    const files = [from, to].map((fd) => `/proc/${pid}/fd/${fd}`);
    if (program === undefined) return undefined;
    runProgramSync(program, ["--attributes-only", "--preserve=mode,xattr", "--", ...files], { env: {} });
    return "same";
  });
}

/** Writes in place, or restores the file. A file next to it has the new content, in case of a crash. */
function writeOver(path: string, content: string | Uint8Array): void {
  const before = readRegularFile(path, { maxBytes: LARGEST });
  const file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (regular(path, file).nlink > 1n)
      throw new Error(`${path} has several names (hard links), and its owner or access list cannot be kept`);
    try {
      overwrite(file, content);
    } catch (thrown) {
      overwrite(file, before);
      throw thrown;
    }
  } finally {
    closeSync(file);
  }
}

function overwrite(file: number, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, at);
  ftruncateSync(file, bytes.length);
}
