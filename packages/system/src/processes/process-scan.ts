import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { attempt } from "../attempt.ts";
import { findHostProgram } from "../programs/host-program.ts";
import { runProgramSync } from "../programs/start-program.ts";
import { RunnerError } from "../runner-error.ts";
import { HAS_PROC, readProcess, type ProcessEntry } from "./process-identity.ts";

/** File descriptor of the marker file, which every command inherits. The file names the starting process. */
export const MARKER_FD = 9;
/**
 * Environment variable with the same mark as {@link MARKER_FD}. A process that drops both marks, and whose parents are gone, is only found
 * by its process group.
 */
export const MARKER_VARIABLE = "HAFT_PROCESS";

/** Linux adds this to the name of a removed file. */
const DELETED = / \(deleted\)$/;

/**
 * Returns all processes of this PID namespace.
 *
 * @param portable Uses `ps`. Default: without `/proc`.
 * @example
 * ```ts
 * import { scanProcesses } from "@haft/system";
 * const children = scanProcesses().filter(({ parent, zombie }) => parent === process.pid && !zombie);
 * ```
 */
export function scanProcesses(portable = !HAS_PROC): ProcessEntry[] {
  return portable ? scanWithPs() : scanProc();
}

/**
 * Finds a process, or returns `undefined`.
 *
 * @param portable Uses `ps`. Default: without `/proc`.
 * @example
 * ```ts run
 * import { findProcess } from "@haft/system";
 * findProcess(process.pid)?.parent === process.ppid; // => true
 * ```
 */
export function findProcess(pid: number, portable = !HAS_PROC): ProcessEntry | undefined {
  return portable ? scanWithPs(pid)[0] : readProcess(pid);
}

/**
 * Returns the marks of a process: the name of its marker file in that folder, and its variable ({@link MARKER_VARIABLE}). Without
 * `/proc`, the list is empty.
 *
 * @example
 * ```ts
 * import { readProcessMarkers } from "@haft/system";
 * const isOurs = readProcessMarkers(4711, "/run/user/1000/agent/marks").includes("command-17");
 * ```
 */
export function readProcessMarkers(pid: number, folder: string): string[] {
  const link = attempt(() => readlinkSync(`/proc/${pid}/fd/${MARKER_FD}`));
  const variables = attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"))?.split("\0") ?? [];
  const start = `${MARKER_VARIABLE}=`;
  const marks = variables.flatMap((one) => (one.startsWith(start) ? [one.slice(start.length)] : []));
  const isOurs = link?.startsWith(`${folder}/`) === true;
  return isOurs ? [link.slice(folder.length + 1).replace(DELETED, ""), ...marks] : marks;
}

function scanProc(): ProcessEntry[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.map(readProcess).filter((one) => one !== undefined);
}

function scanWithPs(pid?: number): ProcessEntry[] {
  const { program } = findHostProgram("ps");
  if (program === undefined) return [];
  const which = pid === undefined ? ["-A"] : ["-p", String(pid)];
  const columns = ["-o", "pid=,ppid=,pgid=,sess=,stat=,lstart="];
  let text: string;
  try {
    text = runProgramSync(program, [...which, ...columns], { env: { LC_ALL: "C" } });
  } catch (thrown) {
    if (thrown instanceof RunnerError) throw thrown;
    return [];
  }
  const lines = text.matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+)$/gm);
  return Array.from(lines, ([, own, parent, group, session, state = "", started = ""]) => ({
    pid: Number(own),
    parent: Number(parent),
    group: Number(group),
    // Some systems report no number; then only the group counts.
    session: Number(session) || 0,
    state: state.slice(0, 1),
    zombie: state.startsWith("Z"),
    started: Date.parse(started),
  }));
}
