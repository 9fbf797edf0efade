import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { attempt } from "../attempt.ts";

/**
 * Identifies a process, even if its pid is reused.
 *
 * @example
 * ```ts
 * import { isAlive, type ProcessIdentity } from "@haft/system";
 * const recorded: ProcessIdentity = JSON.parse('{ "pid": 4711, "started": 98765 }');
 * if (!isAlive(recorded)) console.log("The process of this record has ended.");
 * ```
 */
export interface ProcessIdentity {
  /** Contains the process id. */
  pid: number;
  /** States the start, in a growing unit of the system. If it is unknown, 0: only the pid counts. */
  started: number;
}

/** Describes a process as the system lists it. */
export interface ProcessEntry extends ProcessIdentity {
  /** Contains the pid of its parent. */
  parent: number;
  /** Identifies its process group. */
  group: number;
  /** Identifies its session of the system. */
  session: number;
  /** Contains the system's letter for its state: `T` is stopped. */
  state: string;
  /** Tells whether it has ended, before its parent noticed. It counts as dead. */
  zombie: boolean;
}

/** Reads a process; `undefined` if it is missing or hidden. */
export type ReadProcess = (pid: number) => ProcessEntry | undefined;

/** Tells whether this system has `/proc`, as Linux does. */
export const HAS_PROC = existsSync("/proc/self/stat");

let own: ProcessIdentity | undefined;

/**
 * Returns the identity of this process.
 *
 * @example
 * ```ts run
 * import { getCurrentProcess } from "@haft/system";
 * getCurrentProcess().pid === process.pid; // => true
 * ```
 */
export function getCurrentProcess(): ProcessIdentity {
  own ??= readProcessIdentity(process.pid) ?? { pid: process.pid, started: 0 };
  return own;
}

/**
 * Returns the identity of the process with a pid, or `undefined`, also without `/proc`.
 *
 * @example
 * ```ts
 * import { readProcessIdentity } from "@haft/system";
 * const editor = readProcessIdentity(4711);
 * console.log(editor === undefined ? "It does not run." : `It started at ${editor.started}.`);
 * ```
 */
export function readProcessIdentity(
  pid: number,
  look: ReadProcess = readProcess,
): ProcessIdentity | undefined {
  const seen = look(pid);
  return seen === undefined || seen.zombie ? undefined : { pid, started: seen.started };
}

/**
 * Returns whether a process exists and has not ended. A process hidden from this user counts as alive.
 *
 * @example
 * ```ts run
 * import { getCurrentProcess, isAlive } from "@haft/system";
 * isAlive(getCurrentProcess()); // => true
 * ```
 */
export function isAlive({ pid, started }: ProcessIdentity, look: ReadProcess = readProcess): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  if (started === 0) return true;
  const seen = look(pid);
  return seen === undefined || (!seen.zombie && seen.started === started);
}

/**
 * Reads a process from `/proc`. Returns `undefined` if it is missing or hidden, or without `/proc`.
 *
 * @example
 * ```ts
 * import { readProcess } from "@haft/system";
 * const parent = readProcess(process.ppid);
 * if (parent?.state === "T") console.log("The parent is stopped.");
 * ```
 */
export function readProcess(pid: number): ProcessEntry | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === undefined) return undefined;
  // The second field is a name in parentheses with any characters, even ") ".
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    state: fields[0]!,
    zombie: fields[0] === "Z" || fields[0] === "X",
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    started: Number(fields[19]),
  };
}

/**
 * The process that has to clean up. After its end, others may do so.
 *
 * @example
 * ```ts
 * import { getOwnerStatus, type Owner } from "@haft/system";
 * const mayCleanUp = (owner: Owner) => getOwnerStatus(owner) === "gone";
 * ```
 */
export interface Owner extends ProcessIdentity {
  /** Names the scope of its pid: one boot of a machine or container. */
  space: string;
}

/**
 * Returns this process as an owner, for records.
 *
 * @example
 * ```ts run
 * import { getCurrentOwner, getOwnerStatus } from "@haft/system";
 * getOwnerStatus(getCurrentOwner()); // => "alive"
 * ```
 */
export function getCurrentOwner(look: ReadProcess = readProcess): Owner {
  return {
    ...(readProcessIdentity(process.pid, look) ?? { pid: process.pid, started: 0 }),
    space: pidSpace(),
  };
}

/**
 * Returns whether an owner still runs. `unknown`: its pid belongs to another machine, container or boot.
 *
 * @example
 * ```ts run
 * import { getCurrentOwner, getOwnerStatus } from "@haft/system";
 * getOwnerStatus({ ...getCurrentOwner(), space: "another-machine" }); // => "unknown"
 * ```
 */
export function getOwnerStatus(owner: Owner, look: ReadProcess = readProcess): "alive" | "gone" | "unknown" {
  if (owner.space !== pidSpace() || !(owner.pid > 0)) return "unknown";
  return isAlive(owner, look) ? "alive" : "gone";
}

/**
 * Returns the id of the current boot.
 *
 * @throws the system's error without `/proc`
 * @example
 * ```ts
 * import { bootId } from "@haft/system";
 * const record = { boot: bootId(), pid: process.pid };
 * ```
 */
export function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** Names the scope of pids, without spaces: one boot of a machine or container. */
function pidSpace(): string {
  return attempt(() => `${bootId()}/${readlinkSync("/proc/self/ns/pid")}`) ?? hostname();
}
