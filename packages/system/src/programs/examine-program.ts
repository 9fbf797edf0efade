import { type BigIntStats, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { attempt } from "../attempt.ts";
import { folderKey, createRootFinder, type FindRoot } from "./session-roots.ts";

const MAX_LINKS = 40;
const OTHERS_WRITE = 0o022n;
const STICKY = 0o1000n;
const ANY_EXECUTE = 0o111n;
/** Package managers put a project's programs there, and npm puts it first on the PATH. */
const OF_PROJECTS = "node_modules";

/** Describes the result of {@link examineProgram}. */
export interface ExaminedProgram {
  /** Contains the real path. */
  realPath: string;
  /** Ends a sentence: why the program is unsafe. `undefined` if it is safe. */
  unsafe: string | undefined;
}

/**
 * Examines whether somebody else could have replaced a program. All folders and links on the way must belong to root or this user. No
 * other user may write to them, and a session's root must not contain them. The group bits show access lists, so they count as well. A shared
 * folder that protects each user's files, like `/tmp`, may be above the program, but must not contain it or a link to it directly.
 *
 * @param path Absolute.
 * @param named The operator named the program, which a `node_modules` may then contain. Default false.
 * @returns `undefined` without an executable file
 * @example
 * ```ts
 * import { examineProgram } from "@haft/system";
 * const examined = examineProgram("/usr/bin/git");
 * if (examined?.unsafe !== undefined) console.warn(`/usr/bin/git is unsafe: ${examined.unsafe}.`);
 * ```
 */
export function examineProgram(path: string, named = false): ExaminedProgram | undefined {
  const way = follow(path, named, createRootFinder());
  if (way === undefined || !way.stats.isFile() || (way.stats.mode & ANY_EXECUTE) === 0n) return undefined;
  return way;
}

function whyUnsafeFolder(path: string, rootHolding: FindRoot): string | undefined {
  const way = follow(path, false, rootHolding);
  if (way === undefined || !way.stats.isDirectory()) return "there is no such folder";
  return way.unsafe ?? (isOpen(way.stats) ? `others may write to ${way.realPath}` : undefined);
}

function follow(
  path: string,
  named: boolean,
  rootHolding: FindRoot,
): (ExaminedProgram & { stats: BigIntStats }) | undefined {
  let unsafe: string | undefined;
  const note = (why: string | undefined): void => void (unsafe ??= why);
  const look = (at: string, stats: BigIntStats): void => note(whyUnsafe(at, stats, rootHolding));
  let left = segments(path);
  let at = "/";
  let above = lstatOf(at);
  if (above !== undefined) look(at, above);
  for (let links = 0; left.length > 0;) {
    const [name = "", ...rest] = left;
    if (above?.isDirectory() !== true) return undefined;
    if (!named && name === OF_PROJECTS) note(`it lies in ${OF_PROJECTS}, so it is a project's`);
    const here = join(at, name);
    const stats = lstatOf(here);
    if (stats === undefined) return undefined;
    look(here, stats);
    if (!stats.isDirectory() && isOpen(above)) note(`anybody may have put it into ${at}`);
    if (!stats.isSymbolicLink()) {
      left = rest;
      at = here;
      above = stats;
      continue;
    }
    if (++links > MAX_LINKS) return undefined;
    const target = readlinkSync(here);
    left = [...segments(target), ...rest];
    if (target.startsWith("/")) at = "/";
    above = lstatOf(at);
  }
  return above === undefined ? undefined : { realPath: at, unsafe, stats: above };
}

function whyUnsafe(path: string, stats: BigIntStats, rootHolding: FindRoot): string | undefined {
  const root = rootHolding(path, stats.isDirectory() ? folderKey(stats) : undefined);
  if (root !== undefined) return `it lies in ${root}, where a session works`;
  const own = BigInt(process.getuid?.() ?? 0);
  if (stats.uid !== 0n && stats.uid !== own && !isUnmappedRoot(path, stats.uid))
    return `${path} belongs to user ${stats.uid}`;
  // A link has no rights.
  if (stats.isSymbolicLink() || (stats.mode & OTHERS_WRITE) === 0n) return undefined;
  if (stats.isDirectory() && (stats.mode & STICKY) !== 0n) return undefined;
  return `others may write to ${path}`;
}

function isOpen(stats: BigIntStats): boolean {
  return stats.isDirectory() && (stats.mode & OTHERS_WRITE) !== 0n;
}

function segments(path: string): string[] {
  return path.split("/").filter((one) => one !== "");
}

function lstatOf(path: string): BigIntStats | undefined {
  return attempt(() => lstatSync(path, { bigint: true }));
}

/** Only the administrator puts files there. */
const SYSTEM = /^\/(?:$|(?:usr|bin|sbin|lib|lib64)(?:\/|$))/;

let nobody: bigint | false | undefined;

/**
 * In a user namespace without root, as inside another agent's sandbox, all system files belong to the number for unknown users. That number
 * counts as root only in the system's folders.
 */
export function isUnmappedRoot(path: string, uid: bigint): boolean {
  nobody ??= unmappedUser(textOf("/proc/self/uid_map"), textOf("/proc/sys/kernel/overflowuid"));
  return nobody === uid && SYSTEM.test(path);
}

/** Returns the number of unknown users, if root is unknown. `map`: see user_namespaces(7). */
export function unmappedUser(map: string | undefined, overflow: string | undefined): bigint | false {
  const ranges = Array.from((map ?? "").matchAll(/^\s*(\d+)\s+\d+\s+(\d+)\s*$/gm), ([, first]) => first);
  const isWithoutRoot = ranges.length > 0 && !ranges.includes("0");
  return isWithoutRoot && /^\d+\s*$/.test(overflow ?? "") ? BigInt((overflow ?? "").trim()) : false;
}

function textOf(path: string): string | undefined {
  return attempt(() => readFileSync(path, "latin1"));
}

/** An empty variable means the current folder; a file contains no programs. */
const NOWHERE = "/dev/null";

/**
 * Returns the `PATH` for the host's own programs, without folders that others could change. Without a safe folder, it finds nothing.
 *
 * @example
 * ```ts
 * import { hostProgram, runProgramSync, safePath } from "@haft/system";
 * const version = runProgramSync(hostProgram("git"), ["--version"], { env: { PATH: safePath() } });
 * ```
 */
export function safePath(): string {
  const folders = (process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter);
  // Once for all folders, since there may be hundreds of roots.
  const rootHolding = createRootFinder();
  const safe = folders.filter((one) => isAbsolute(one) && whyUnsafeFolder(one, rootHolding) === undefined);
  return safe.length === 0 ? NOWHERE : safe.join(delimiter);
}
