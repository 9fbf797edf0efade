import { systemError } from "../errors.ts";
import { RunnerError } from "../runner-error.ts";

/**
 * Converts the error of a missing or unstartable program of the host into a `HaftError`. Returns other values unchanged.
 *
 * @param tried Ends a sentence that starts with "Cannot": `open a sandbox`.
 * @example
 * ```ts
 * import { hostProgram, hostProgramError } from "@haft/system";
 * try {
 *   hostProgram("bwrap");
 * } catch (thrown) {
 *   throw hostProgramError(thrown, "open a sandbox");
 * }
 * ```
 */
export function hostProgramError(thrown: unknown, tried: string): unknown {
  if (!(thrown instanceof RunnerError)) return thrown;
  const { code, message } = thrown;
  const text = `Cannot ${tried}: ${message}.`;
  if (code === "HOST_PROGRAM_CHANGED" || code === "HOST_PROGRAM_MISSING")
    return systemError(code, text, { receipt: "none", cause: thrown });
  if (code !== "host-program-refused") return thrown;
  return systemError("HOST_PROGRAM_MISSING", text, {
    fix: "Have it in a folder of the PATH that belongs to root or to you, that nobody else may write to, and where no session works; or open the session in a smaller folder.",
    receipt: "none",
    details: { reason: code },
    cause: thrown,
  });
}
