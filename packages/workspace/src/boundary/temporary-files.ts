import { lstatSync, readFileSync, unlinkSync } from "node:fs";
import type { Folder } from "./walk/folders.ts";

/** `.haft-PID-START-ID.tmp`: what is being written, named by who writes it. */
const TEMPORARY = /^\.haft-(\d+)-(\d*)-[0-9a-f]{12}\.tmp$/;
/** Younger ones are left alone: a process elsewhere, of which nothing is known here, may share the folder. */
const ABANDONED_AFTER_MS = 60_000;

/** A fresh name for a file that takes another name in a moment. */
export function temporaryName(): string {
  started ??= startTimeOf(process.pid);
  return `.haft-${process.pid}-${started}-${crypto.randomUUID().slice(-12)}.tmp`;
}

let started: string | undefined;

export const isTemporary = (name: string): boolean => TEMPORARY.test(name);

/** Removes such a file when the process that was writing it is gone. */
export function removeAbandoned(folder: Folder, name: string): void {
  const match = TEMPORARY.exec(name);
  if (match === null || isAlive(Number(match[1]), match[2] ?? "")) return;
  try {
    const entry = folder.entry(name);
    if (Date.now() - lstatSync(entry).mtimeMs > ABANDONED_AFTER_MS) unlinkSync(entry);
  } catch {
    // Somebody else removed it, or may not be disturbed.
  }
}

function isAlive(pid: number, since: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  // Numbers of processes are used again; the start time tells whether it is still the same one.
  return since === "" || since === startTimeOf(pid);
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
