import { accessSync, type BigIntStats, closeSync, constants, openSync, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { attempt } from "../attempt.ts";
import { runnerErrno, RunnerError } from "../runner-error.ts";
import { examineProgram } from "./examine-program.ts";
import { countSessionRoots } from "./session-roots.ts";

/**
 * A program that the host starts, found and examined. It is plain data for other processes of Haft.
 *
 * @example
 * ```ts
 * import { type HostProgram, hostProgram } from "@haft/system";
 * const git: HostProgram = hostProgram("git");
 * console.log(git.path);
 * ```
 */
export interface HostProgram {
  /** Names it as searched: `git`. */
  name: string;
  /** Contains its absolute path. */
  path: string;
  /** Identifies the file and its last change. Empty in a sandbox, where files are not examined. */
  version: string;
}

/**
 * The result of {@link findHostProgram}: the program, or the unsafe programs, each as the end of a sentence ("… is not started from").
 */
export type FoundProgram =
  | { program: HostProgram; leftOut?: undefined }
  | { program?: undefined; leftOut: readonly string[] };

/**
 * Locates a program.
 *
 * @example
 * ```ts
 * import { hostProgram, type ProgramLocation } from "@haft/system";
 * const location: ProgramLocation = { path: "/opt/git/bin/git", option: "--git" };
 * const git = hostProgram("git", location);
 * ```
 */
export interface ProgramLocation {
  /** Contains the operator's path. Default: search on the `PATH` of this process. */
  path?: string | undefined;
  /** Names the operator's option or setting, for messages. */
  option?: string;
}

const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";
const NOBODY_LOOKED = "";
const found = new Map<string, { program: HostProgram; roots: number; named: boolean }>();
let given: Readonly<Record<string, FoundProgram>> | undefined;
let placeIsForeign = false;

/**
 * Sets the programs that {@link findHostProgram} returns, by name. Other names count as not installed.
 *
 * @example
 * ```ts
 * import { usePrograms } from "@haft/system";
 * usePrograms({ git: { program: { name: "git", path: "/opt/git/bin/git", version: "" } } });
 * ```
 */
export function usePrograms(programs: Readonly<Record<string, FoundProgram>>): void {
  given = programs;
}

/**
 * Accepts all programs of the `PATH`, in a process in a sandbox or on another machine, without files of the host.
 *
 * @example
 * ```ts
 * import { hostProgram, trustForeignTarget } from "@haft/system";
 * trustForeignTarget();
 * const shell = hostProgram("sh");
 * ```
 */
export function trustForeignTarget(): void {
  placeIsForeign = true;
}

/**
 * Returns whether {@link trustForeignTarget} was called.
 *
 * @example
 * ```ts
 * import { isForeignTarget } from "@haft/system";
 * if (!isForeignTarget()) console.log("Programs are examined before they start.");
 * ```
 */
export function isForeignTarget(): boolean {
  return placeIsForeign;
}

/**
 * Searches for a safe program of the host ({@link examineProgram}). Later calls return the first result; {@link requireUnchangedProgram}
 * compares the file.
 *
 * @throws RunnerError `HOST_PROGRAM_CHANGED`
 * @example
 * ```ts
 * import { findHostProgram, formatMissingProgram } from "@haft/system";
 * const { program, leftOut = [] } = findHostProgram("rg");
 * if (program === undefined) console.warn(`${formatMissingProgram("rg", leftOut)}.`);
 * ```
 */
export function findHostProgram(name: string, { path, ...place }: ProgramLocation = {}): FoundProgram {
  const option = path === undefined ? undefined : place.option;
  if (given !== undefined) return given[name] ?? { leftOut: [] };
  const search = process.env["PATH"] ?? FALLBACK_PATH;
  const key = path === undefined ? `${name}\0${search}` : path;
  const known = found.get(key);
  if (known !== undefined) {
    requireUnchangedProgram(known.program);
    if (placeIsForeign || known.roots === countSessionRoots()) return { program: known.program };
    // A session may work there now.
    const again = examine(name, known.program.path, known.named, option);
    if (typeof again === "string") return { leftOut: [again] };
    known.roots = countSessionRoots();
    return { program: known.program };
  }
  const leftOut: string[] = [];
  for (const at of path === undefined ? search.split(delimiter).map((one) => join(one, name)) : [path]) {
    const program = examine(name, at, path !== undefined, option);
    if (typeof program === "string") leftOut.push(program);
    else if (program !== undefined) {
      found.set(key, { program, roots: countSessionRoots(), named: path !== undefined });
      return { program };
    }
  }
  return { leftOut };
}

/**
 * Finds a program as {@link findHostProgram} does, or throws.
 *
 * @throws RunnerError `HOST_PROGRAM_MISSING`, `HOST_PROGRAM_CHANGED`, or `host-program-refused` if all found programs are unsafe
 * @example
 * ```ts
 * import { hostProgram, runProgram, safePath } from "@haft/system";
 * const git = hostProgram("git");
 * const { output } = await runProgram(git, ["status", "--short"], { env: { PATH: safePath() }, cwd: "/srv/project" });
 * ```
 */
export function hostProgram(name: string, place: ProgramLocation = {}): HostProgram {
  const looked = findHostProgram(name, place);
  if (looked.program !== undefined) return looked.program;
  const code = looked.leftOut.length === 0 ? "HOST_PROGRAM_MISSING" : "host-program-refused";
  throw new RunnerError(code, formatMissingProgram(name, looked.leftOut, place));
}

/**
 * Ends a sentence with the missing program, and the unsafe programs.
 *
 * @example
 * ```ts run
 * import { formatMissingProgram } from "@haft/system";
 * formatMissingProgram("rg", []); // => "the program rg is not installed"
 * ```
 */
export function formatMissingProgram(
  name: string,
  leftOut: readonly string[],
  { path, option }: ProgramLocation = {},
): string {
  const what =
    path === undefined ? `the program ${name}` : `${path}${option === undefined ? "" : ` (${option})`}`;
  if (leftOut.length === 0)
    return path === undefined ? `${what} is not installed` : `there is no program ${what}`;
  return `${name} is not started from ${leftOut.join("; nor from ")}`;
}

/**
 * Returns the path of a program, after a comparison with the found file. A replacement is only possible until the system opens it.
 *
 * @throws RunnerError `HOST_PROGRAM_CHANGED`
 * @example
 * ```ts
 * import { hostProgram, requireUnchangedProgram } from "@haft/system";
 * const path = requireUnchangedProgram(hostProgram("git"));
 * ```
 */
export function requireUnchangedProgram({ name, path, version }: HostProgram): string {
  if (version !== NOBODY_LOOKED && versionOf(path) !== version && !isRunning(path, version)) {
    const message = `${path} is not the file any more that this host found as ${name}`;
    throw new RunnerError("HOST_PROGRAM_CHANGED", message);
  }
  return path;
}

/**
 * Returns the Node of this process. Any folder may contain it, but it must stay the same file.
 *
 * @example
 * ```ts
 * import { runningNode, startProgram } from "@haft/system";
 * const child = startProgram(runningNode(), ["worker.js"], { env: {}, stdio: "inherit" });
 * ```
 */
export function runningNode(): HostProgram {
  return RUNNING;
}

function examine(
  name: string,
  path: string,
  named: boolean,
  option: string | undefined,
): HostProgram | string | undefined {
  const version = versionOf(path);
  if (version === undefined || !isExecutable(path)) return undefined;
  if (placeIsForeign) return { name, path, version: NOBODY_LOOKED };
  const where = option === undefined ? path : `${path} (${option})`;
  if (!isAbsolute(path)) return `${where}: it depends on the folder where this program was started`;
  const examined = examineProgram(path, named);
  if (examined === undefined) return undefined;
  const { realPath, unsafe } = examined;
  if (unsafe !== undefined) return `${where}${realPath === path ? "" : `, which is ${realPath}`}: ${unsafe}`;
  return { name, path, version };
}

function versionOf(path: string): string | undefined {
  const stats = statOf(path);
  return stats === undefined ? undefined : versionIn(stats);
}

function versionIn({ dev, ino, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${ctimeNs}`;
}

function statOf(path: string): BigIntStats | undefined {
  return attempt(() => statSync(path, { bigint: true }));
}

/**
 * Returns whether this file runs as this program and only its change time differs, as after further hard links by package managers. The
 * system prevents writes to a running file. If that is unknown, the answer is no.
 */
function isRunning(path: string, version: string): boolean {
  if (path !== RUNNING.path || version !== RUNNING.version || STARTED === undefined) return false;
  const [now, runs] = [statOf(path), statOf(RUNNING_FILE)];
  const isSame = (one: BigIntStats | undefined): boolean =>
    one !== undefined && one.dev === STARTED.dev && one.ino === STARTED.ino;
  if (process.platform !== "linux" || !isSame(now) || !isSame(runs)) return false;
  if (now?.size !== STARTED.size || now.mtimeNs !== STARTED.mtimeNs) return false;
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW));
    return false;
  } catch (thrown) {
    return runnerErrno(thrown) === "ETXTBSY";
  }
}

/**
 * Returns whether a path leads to a file that this user can execute, also through links.
 *
 * @example
 * ```ts run
 * import { isExecutable } from "@haft/system";
 * isExecutable(process.execPath); // => true
 * ```
 */
export function isExecutable(path: string): boolean {
  const isFile = attempt(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  });
  return isFile === true;
}

/** Only Linux identifies the running file. */
const RUNNING_FILE = process.platform === "linux" ? "/proc/self/exe" : process.execPath;
const STARTED = statOf(RUNNING_FILE);
const RUNNING: HostProgram = {
  name: basename(process.execPath),
  path: process.execPath,
  version: STARTED === undefined ? NOBODY_LOOKED : versionIn(STARTED),
};
