import { attempt, findHostProgram, type FoundProgram, runProgramSync } from "@haft/system/processes";
import { access } from "node:fs/promises";
import type { Bridge } from "./network/bridges.ts";
import type { ProcessTableOptions } from "./process-table.ts";

/** Less memory and fewer threads, because every fork copies the memory map. */
export const RUNNER_FLAGS: readonly string[] = [
  "--no-warnings",
  "--max-semi-space-size=1",
  "--single-threaded",
];

/** `pkill node` and similar patterns do not match this process title. */
export const RUNNER_TITLE = "cmdkeeper";

export interface RunnerOptions extends ProcessTableOptions {
  programs: Readonly<Record<string, FoundProgram>>;
  contained: boolean;
  controlGroup?: string | undefined;
  bridges?: readonly Bridge[];
  forwards?: string;
}

/** The runner (2) and its threads use these pids of their PID namespace. Filters block signals of commands to them. */
export const RESERVED_PIDS = 15;
const RUNNER = 2;
/** The shell also has a pid. Numbers below 300 are not reused. */
const USE_UP = 'n=$$; while [ "$n" -lt "$0" ]; do (:); n=$((n + 1)); done';

export async function reservePids(): Promise<void> {
  if (process.platform !== "linux" || process.pid !== RUNNER) return;
  await access("/");
  const { program } = findHostProgram("sh");
  if (program === undefined) return;
  // Otherwise, commands could not signal their first processes.
  attempt(() => runProgramSync(program, ["-c", USE_UP, String(RESERVED_PIDS)], { env: {} }));
}
