import { attempt, findHostProgram, type FoundProgram, runProgramSync } from "@haft/system/processes";
import { access } from "node:fs/promises";
import type { Bridge } from "./network/bridges.ts";
import type { ProcessTableOptions } from "./process-table.ts";

/** No warnings, little memory for young objects and few threads: every fork copies the map of all memory. */
export const RUNNER_FLAGS: readonly string[] = [
  "--no-warnings",
  "--max-semi-space-size=1",
  "--single-threaded",
];

/** Shown as the runner's name and command line: no word of it matches what `pkill node` and the like look for. */
export const RUNNER_TITLE = "cmdkeeper";

export interface RunnerOptions extends ProcessTableOptions {
  programs: Readonly<Record<string, FoundProgram>>;
  contained: boolean;
  controlGroup?: string | undefined;
  bridges?: readonly Bridge[];
  forwards?: string;
}

/** In a PID namespace of its own: the runner (2) and its threads. Filters keep commands' hands off these numbers. */
export const RESERVED_PIDS = 15;
/** In such a namespace the first process ends all when the host does, and the runner is the next. */
const RUNNER = 2;
/** The shell has one, too. Numbers below 300 are not given out twice. */
const USE_UP = 'n=$$; while [ "$n" -lt "$0" ]; do (:); n=$((n + 1)); done';

/** Makes all threads there will be, and uses up the numbers that are left of them. */
export async function reservePids(): Promise<void> {
  if (process.platform !== "linux" || process.pid !== RUNNER) return;
  await access("/");
  const { program } = findHostProgram("sh");
  if (program === undefined) return;
  // Else what commands start first cannot be signalled by them.
  attempt(() => runProgramSync(program, ["-c", USE_UP, String(RESERVED_PIDS)], { env: {} }));
}
