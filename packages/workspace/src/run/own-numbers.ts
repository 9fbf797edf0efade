import { access } from "node:fs/promises";
import { attempt } from "../system/attempt.ts";
import { findHostProgram } from "../system/host-program.ts";
import { runProgramSync } from "../system/start-program.ts";

/**
 * In a PID namespace of a runner's own, these numbers are of its own tasks, or nobody's: filters of system calls keep
 * commands' hands off them. 2 is the runner, the next ones are its threads.
 */
export const OWN_NUMBERS = 15;
/** In such a namespace the first process ends all when the host does, and the runner is the next. */
const RUNNER = 2;
/** The shell has one, too. Numbers below 300 are not given out twice. */
const USE_UP = 'n=$$; while [ "$n" -lt "$0" ]; do (:); n=$((n + 1)); done';

/** Makes all threads there will be, and uses up the numbers that are left of them. */
export async function takeOwnNumbers(): Promise<void> {
  if (process.platform !== "linux" || process.pid !== RUNNER) return;
  await access("/");
  const { program } = findHostProgram("sh");
  if (program === undefined) return;
  // Else what commands start first cannot be signalled by them.
  attempt(() => runProgramSync(program, ["-c", USE_UP, String(OWN_NUMBERS)], { env: {} }));
}
