import { createFailure } from "../errors.ts";
import { RunnerError } from "../runner-error.ts";

/**
 * What {@link "./host-program.ts"} throws, as a coded error; anything else as it is.
 *
 * @param tried the end of a sentence that starts with "Cannot": `open a sandbox`.
 */
export function hostProgramError(thrown: unknown, tried: string): unknown {
  if (!(thrown instanceof RunnerError)) return thrown;
  const { code, message } = thrown;
  return createFailure(code, `Cannot ${tried}: ${message}.`, { receipt: "none", cause: thrown });
}
