import { readlinkSync } from "node:fs";
import { attempt } from "../attempt.ts";
import { findHostProgram } from "../host-program.ts";
import { runProgram } from "../start-program.ts";
import { type Comparison, compareAttributes } from "./compare-attributes.ts";

/** The program may run this long, in milliseconds. */
const DEADLINE_MS = 5_000;

/**
 * Gives the second open file the extended attributes and access lists of the first one; the mode goes along. A program is
 * started only if the two differ. Other systems than Linux are left alone.
 *
 * @returns how the two compare now; `undefined` where that cannot be told
 */
export async function copyAttributes(from: number, to: number): Promise<Comparison | undefined> {
  if (process.platform !== "linux" || (await compareAttributes(from, to)) === "same") return "same";
  const isCopied = await runCopy(from, to);
  return (await compareAttributes(from, to)) ?? (isCopied ? "same" : undefined);
}

/** GNU `cp` fails unless it copies all that its options name. */
async function runCopy(from: number, to: number): Promise<boolean> {
  const program = attempt(() => findHostProgram("cp").program);
  const pid = attempt(() => readlinkSync("/proc/self"));
  if (program === undefined || pid === undefined) return false;
  const files = [from, to].map((fd) => `/proc/${pid}/fd/${fd}`);
  const args = ["--attributes-only", "--preserve=mode,xattr", "--", ...files];
  try {
    const { failure } = await runProgram(program, args, { env: {}, timeout: DEADLINE_MS });
    return failure === undefined;
  } catch {
    return false; // The program was replaced since this host found it.
  }
}
