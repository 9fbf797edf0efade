/** All codes of {@link RunnerError}. */
export const RUNNER_ERROR_CODES = [
  "INVALID_PROCESS",
  "workdir-not-found",
  "PROGRAM_NOT_FOUND",
  "command-too-long",
  "spawn-failed",
  "PLAN_CHANGED",
  "TOO_MANY_PROCESSES",
  "pty-unavailable",
  "PROCESS_NOT_FOUND",
  "process-running",
  "STDIN_CLOSED",
  "STDIN_FULL",
  "not-a-terminal",
  "SESSION_LEASE_LOST",
  "HOST_PROGRAM_CHANGED",
  "HOST_PROGRAM_MISSING",
  "host-program-refused",
  "RUNNER_UNAVAILABLE",
  "RUNNER_LOST",
] as const;

/** One of {@link RUNNER_ERROR_CODES}. */
export type RunnerErrorCode = (typeof RUNNER_ERROR_CODES)[number];

/**
 * The error of code that starts processes. This code depends only on Node, so that it can run in a sandbox or on another machine; the host
 * converts the error into a `HaftError` with a fix.
 *
 * @example
 * ```ts run
 * import { hostProgram, RunnerError } from "@haft/system";
 * try {
 *   hostProgram("no-such-program");
 * } catch (thrown) {
 *   if (thrown instanceof RunnerError) console.log(thrown.code, thrown.message);
 * }
 * ```
 */
export class RunnerError extends Error {
  /** Identifies the failure. */
  readonly code: RunnerErrorCode;

  /** @param why Ends a sentence that starts with the attempt. */
  constructor(code: RunnerErrorCode, why: string) {
    super(why);
    this.name = "RunnerError";
    this.code = code;
  }
}

/**
 * Returns the `code` of an error, such as `ENOENT`; otherwise `undefined`.
 *
 * @example
 * ```ts run
 * import { runnerErrno } from "@haft/system";
 * runnerErrno(Object.assign(new Error("no such file"), { code: "ENOENT" })); // => "ENOENT"
 * runnerErrno("failed"); // => undefined
 * ```
 */
export function runnerErrno(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
