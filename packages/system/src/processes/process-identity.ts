import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { attempt } from "../attempt.ts";

/** A process, told from others that have the same pid at other times. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in a unit of the system that grows with time. 0 where that is not known: then its pid alone tells. */
  started: number;
}

export interface ProcessEntry extends ProcessIdentity {
  parent: number;
  group: number;
  session: number;
  /** One letter, as the system has it: `T` is stopped. */
  state: string;
  /** Has ended and waits for its parent to notice: it does nothing any more, and counts as dead. */
  zombie: boolean;
}

export type ReadProcess = (pid: number) => ProcessEntry | undefined;

export const HAS_PROC = existsSync("/proc/self/stat");

let own: ProcessIdentity | undefined;

export function getCurrentProcess(): ProcessIdentity {
  own ??= readProcessIdentity(process.pid) ?? { pid: process.pid, started: 0 };
  return own;
}

export function readProcessIdentity(
  pid: number,
  look: ReadProcess = readProcess,
): ProcessIdentity | undefined {
  const seen = look(pid);
  return seen === undefined || seen.zombie ? undefined : { pid, started: seen.started };
}

/** Is it still there, and not ended? Whoever cannot be looked at, being somebody else's, counts as alive. */
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

/** What `/proc` says of a process; `undefined` when it is not there or hidden, and where there is no `/proc`. */
export function readProcess(pid: number): ProcessEntry | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === undefined) return undefined;
  // The second field is a name in parentheses and may hold anything, even ") ".
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

/** The process that has to clean something up. Once it is gone, others may. */
export interface Owner extends ProcessIdentity {
  /** Where its pid means something: one boot of one machine or container. */
  space: string;
}

export function getCurrentOwner(look: ReadProcess = readProcess): Owner {
  return {
    ...(readProcessIdentity(process.pid, look) ?? { pid: process.pid, started: 0 }),
    space: pidSpace(),
  };
}

/**
 * What became of an owner. `unknown`: of another machine, another container, or before the last start of the system;
 * its pid means nothing here.
 */
export function getOwnerStatus(owner: Owner, look: ReadProcess = readProcess): "alive" | "gone" | "unknown" {
  if (owner.space !== pidSpace() || !(owner.pid > 0)) return "unknown";
  return isAlive(owner, look) ? "alive" : "gone";
}

/** Tells one run of this system from others. @throws where there is no `/proc` */
export function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** Where pids mean something: one boot of one machine or container. Without spaces. */
function pidSpace(): string {
  return attempt(() => `${bootId()}/${readlinkSync("/proc/self/ns/pid")}`) ?? hostname();
}
