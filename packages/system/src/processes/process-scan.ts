import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { attempt } from "../attempt.ts";
import { findHostProgram } from "../programs/host-program.ts";
import { runProgramSync } from "../programs/start-program.ts";
import { RunnerError } from "../runner-error.ts";
import { HAS_PROC, readProcess, type ProcessEntry } from "./process-identity.ts";

/** File descriptor under which every command inherits the file that says whom it belongs to. */
export const MARKER_FD = 9;
/** Variable that says the same. What loses both on purpose, and its parents, is found only by its group. */
export const MARKER_VARIABLE = "HAFT_PROCESS";

/** What Linux adds to the name of a file that has been removed. */
const DELETED = / \(deleted\)$/;

/** All processes of this machine, or of this PID namespace. `portable` asks `ps` even where there is `/proc`. */
export function scanProcesses(portable = !HAS_PROC): ProcessEntry[] {
  return portable ? scanWithPs() : scanProc();
}

export function findProcess(pid: number, portable = !HAS_PROC): ProcessEntry | undefined {
  return portable ? scanWithPs(pid)[0] : readProcess(pid);
}

/** The marks a process carries: names of marker files of that folder, or what its variable says. Only with `/proc`. */
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
    // Not a number on every system; then only the group counts.
    session: Number(session) || 0,
    state: state.slice(0, 1),
    zombie: state.startsWith("Z"),
    started: Date.parse(started),
  }));
}
