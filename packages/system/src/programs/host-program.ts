import { accessSync, type BigIntStats, closeSync, constants, openSync, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { attempt } from "../attempt.ts";
import { runnerErrno, RunnerError } from "../runner-error.ts";
import { examineProgram } from "./examine-program.ts";
import { countSessionRoots } from "./session-roots.ts";

/** A program that Haft starts for itself, found and looked at. Can be sent to another program of Haft as it is. */
export interface HostProgram {
  name: string;
  path: string;
  /** Which file that was, and of when. Empty where nobody looked: in a sandbox everything is the sandbox's. */
  version: string;
}

export type FoundProgram =
  | { program: HostProgram; leftOut?: undefined }
  | { program?: undefined; leftOut: readonly string[] };

export interface ProgramLocation {
  /** Its path, named by the operator; else it is looked for on the PATH of this program. */
  path?: string | undefined;
  option?: string;
}

const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";
const NOBODY_LOOKED = "";
const found = new Map<string, { program: HostProgram; roots: number; named: boolean }>();
let given: Readonly<Record<string, FoundProgram>> | undefined;
let placeIsForeign = false;

export function usePrograms(programs: Readonly<Record<string, FoundProgram>>): void {
  given = programs;
}

/** In a sandbox or on another machine: whatever the PATH there says. Nothing there is the host's. */
export function trustForeignTarget(): void {
  placeIsForeign = true;
}

export function isForeignTarget(): boolean {
  return placeIsForeign;
}

/**
 * Looks for a program that Haft is to start for itself. Once it is found, it stays that one: {@link requireUnchangedProgram} says
 * whether it still is.
 *
 * @throws RunnerError `HOST_PROGRAM_CHANGED`
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
    // A session works there now.
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
 * The same for one that has to be there.
 *
 * @throws RunnerError `HOST_PROGRAM_MISSING`, `host-program-refused`, `HOST_PROGRAM_CHANGED`
 */
export function hostProgram(name: string, place: ProgramLocation = {}): HostProgram {
  const looked = findHostProgram(name, place);
  if (looked.program !== undefined) return looked.program;
  const code = looked.leftOut.length === 0 ? "HOST_PROGRAM_MISSING" : "host-program-refused";
  throw new RunnerError(code, formatMissingProgram(name, looked.leftOut, place));
}

/** The end of a sentence: what is missing, and what was left out. */
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
 * The path to start it by. It is compared with what was found, so whoever replaced it comes too late, but for the
 * moment until the system opens it.
 *
 * @throws RunnerError `HOST_PROGRAM_CHANGED`
 */
export function requireUnchangedProgram({ name, path, version }: HostProgram): string {
  if (version !== NOBODY_LOOKED && versionOf(path) !== version && !isRunning(path, version)) {
    const message = `${path} is not the file any more that this host found as ${name}`;
    throw new RunnerError("HOST_PROGRAM_CHANGED", message);
  }
  return path;
}

/** The Node that runs this program. It may lie anywhere, but has to stay what it is. */
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
 * Is this the file that runs as this program, unwritten since, though its change time is another one? A further hard
 * link to it changes that time, and package managers make one for each project that brings the same Node. The system
 * lets nobody write to a file while it runs; where it does not say so, nothing is known, and the answer is no.
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

export function isExecutable(path: string): boolean {
  const isFile = attempt(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  });
  return isFile === true;
}

/** What runs can be asked of the system; elsewhere it is what has its name. */
const RUNNING_FILE = process.platform === "linux" ? "/proc/self/exe" : process.execPath;
const STARTED = statOf(RUNNING_FILE);
const RUNNING: HostProgram = {
  name: basename(process.execPath),
  path: process.execPath,
  version: STARTED === undefined ? NOBODY_LOOKED : versionIn(STARTED),
};
