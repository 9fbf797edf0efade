import { readFileSync } from "node:fs";

/** A process, told apart from a later one with the same number. */
export interface ProcessOwner {
  pid: number;
  /** Start time of the process in the kernel's own unit; empty where it is not known. */
  started: string;
}

let self: ProcessOwner | undefined;

export function thisProcess(): ProcessOwner {
  self ??= { pid: process.pid, started: startTimeOf(process.pid) };
  return self;
}

export function isAlive(owner: ProcessOwner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  // Numbers of processes are used again; the start time tells whether it is still the same one.
  return owner.started === "" || owner.started === startTimeOf(owner.pid);
}

/** Field 22 of the kernel's process status, counted after the name, which may contain anything. */
function startTimeOf(pid: number): string {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "latin1");
    return status.slice(status.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
