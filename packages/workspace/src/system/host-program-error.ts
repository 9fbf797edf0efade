import { toProcessFailure } from "../processes/process-failures.ts";

/**
 * What {@link "./host-program.ts"} throws, as a coded error; anything else as it is.
 *
 * @param tried the end of a sentence that starts with "Cannot": `open a sandbox`.
 */
export function hostProgramError(thrown: unknown, tried: string): unknown {
  return toProcessFailure(thrown, tried, "host");
}
