import { readlinkSync } from "node:fs";
import { findHostProgram, isForeignPlace } from "./host-program.ts";
import { runProgram } from "./start-program.ts";

/** The program is not waited for any longer, in milliseconds. */
const DEADLINE_MS = 5_000;

/**
 * Copies extended attributes and access lists from one open file to another, on Linux and where there is a GNU `cp`:
 * Node has no call for them. Elsewhere, and in a sandbox, nothing is copied. The mode goes along.
 */
export async function copyAttributes(from: number, to: number): Promise<void> {
  if (process.platform !== "linux" || isForeignPlace()) return;
  try {
    const { program } = findHostProgram("cp");
    if (program === undefined) return;
    const handles = `/proc/${readlinkSync("/proc/self")}/fd/`;
    const args = ["--attributes-only", "--preserve=mode,xattr", "--", handles + from, handles + to];
    await runProgram(program, args, { env: {}, timeout: DEADLINE_MS });
  } catch {
    // Without that program the file is as one that was written anew.
  }
}
