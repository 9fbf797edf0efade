import type { FoundProgram } from "../system/host-program.ts";
import type { Bridge } from "./network/bridges.ts";
import type { ProcessTableOptions } from "./process-table.ts";

/**
 * For the Node a runner runs on: what it writes is for us, so no warnings. Little memory for young objects and no
 * threads that compile and collect, because every fork copies the map of all memory.
 */
export const RUNNER_FLAGS: readonly string[] = [
  "--no-warnings",
  "--max-semi-space-size=1",
  "--single-threaded",
];

/**
 * What the system shows as name and command line of a runner, in place of `node` and the paths of Haft: commands such as
 * `pkill node` end the programs of their own user by these. No word of it is one that such commands look for.
 */
export const RUNNER_TITLE = "cmdkeeper";

export interface RunnerOptions extends ProcessTableOptions {
  programs: Readonly<Record<string, FoundProgram>>;
  contained: boolean;
  controlGroup?: string | undefined;
  bridges?: readonly Bridge[];
  forwards?: string;
}
