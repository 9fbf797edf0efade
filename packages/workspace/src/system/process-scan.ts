import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { RunnerError } from "../runner-error.ts";
import { findHostProgram } from "./host-program.ts";
import type { Seen } from "./process-identity.ts";
import { HAS_PROC, readProcess } from "./process-identity.ts";
import { runProgramSync } from "./start-program.ts";

/** File descriptor under which every command inherits the file that says whom it belongs to. */
export const MARKER_FD = 9;
/** Variable that says the same. What loses both on purpose, and its parents, is found only by its group. */
export const MARKER_VARIABLE = "HAFT_PROCESS";

/** What Linux adds to the name of a file that has been removed. */
const DELETED = / \(deleted\)$/;

/** All processes of this machine, or of this PID namespace. `portable` asks `ps` even where there is `/proc`. */
export function scanProcesses(portable = !HAS_PROC): Seen[] {
  return portable ? scanWithPs() : scanProc();
}

/** One process, if it is there. */
export function seeProcess(pid: number, portable = !HAS_PROC): Seen | undefined {
  return portable ? scanWithPs(pid)[0] : readProcess(pid);
}

/** The marks a process carries: names of marker files of that folder, or what its variable says. Only with `/proc`. */
export function marksOf(pid: number, folder: string): string[] {
  const marks: string[] = [];
  try {
    const link = readlinkSync(`/proc/${pid}/fd/${MARKER_FD}`);
    if (link.startsWith(`${folder}/`)) marks.push(link.slice(folder.length + 1).replace(DELETED, ""));
  } catch {
    // Closed, or not ours to look at.
  }
  try {
    const start = `${MARKER_VARIABLE}=`;
    const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    for (const one of variables) if (one.startsWith(start)) marks.push(one.slice(start.length));
  } catch {
    // The same.
  }
  return marks;
}

function scanProc(): Seen[] {
  const seen: Seen[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const one = Number.isInteger(pid) ? readProcess(pid) : undefined;
    if (one !== undefined) seen.push(one);
  }
  return seen;
}

function scanWithPs(pid?: number): Seen[] {
  let text: string;
  const { program } = findHostProgram("ps");
  if (program === undefined) return [];
  try {
    text = runProgramSync(
      program,
      [...(pid === undefined ? ["-A"] : ["-p", String(pid)]), "-o", "pid=,ppid=,pgid=,sess=,stat=,lstart="],
      { env: { LC_ALL: "C" } },
    );
  } catch (thrown) {
    if (thrown instanceof RunnerError) throw thrown;
    return [];
  }
  const seen: Seen[] = [];
  for (const line of text.split("\n")) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.+)$/.exec(line);
    if (match === null) continue;
    seen.push({
      pid: Number(match[1]),
      parent: Number(match[2]),
      group: Number(match[3]),
      // Not a number on every system; then only the group counts.
      session: Number(match[4]) || 0,
      zombie: match[5]!.startsWith("Z"),
      started: Date.parse(match[6]!),
    });
  }
  return seen;
}
