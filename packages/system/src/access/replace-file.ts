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

/** How {@link replaceFile} writes. */
export interface ReplaceFileOptions {
  /** Mode of a file that is new, less the umask. Default `0o666`. */
  mode?: number;
  /**
   * Writes the content to the disk before the file has its name, so that a loss of power does not leave it empty. Default false.
   */
  flush?: boolean;
  /** The call runs this last, with the real path of the file. When it throws, the file stays as it is. */
  check?: (real: string) => void;
}

/** Bytes of a file that can be put back after a failed write in place. */
const LARGEST = 256 * 1024 * 1024;

/**
 * Writes a file of a person in full or not at all, in an existing folder. A file that is replaced keeps its mode, owner, access
 * list and attributes. Where another file cannot have them, the file is written in place. A symbolic link stays, and its target is
 * replaced. Of several writers at once the last one counts.
 *
 * @throws the system's error; the file is then as it was, and nothing else is left
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
  // Taking a file's name asks for no permission on the file; whoever made it read-only meant it.
  if (isThere) accessSync(real, constants.W_OK);
  const draft = join(dirname(real), temporaryName());
  // Nobody else reads what is not finished.
  const file = openSync(draft, "wx", isThere ? 0o600 : mode);
  try {
    const isAlike = !isThere || copyFileAccess(real, file);
    // Goes on until all of it is written: on a full disk a single write takes a part, and says nothing.
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
 * Gives an open, still empty file the owner, mode, access list and attributes of the file at a path. Where the system does not
 * permit that, the file gets fewer permissions, never more. The call blocks until a program has ended: do not use it in frequent
 * calls.
 *
 * @param file Descriptor of the new file.
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

/** Linux: `O_PATH`, which needs no right to read the file. */
const LOOK =
  (process.platform === "linux" ? 0o10000000 : constants.O_RDONLY | constants.O_NONBLOCK) |
  constants.O_NOFOLLOW;

function regular(path: string, file: number): BigIntStats {
  const stats = fstatSync(file, { bigint: true });
  if (!stats.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: "EINVAL" });
  return stats;
}

/** GNU `cp` fails unless it copies all that its options name. */
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

/** In place, or as it was. What it is to hold is on the disk beside it meanwhile, for the case of a crash. */
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
