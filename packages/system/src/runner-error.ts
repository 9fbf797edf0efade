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
 * What the runner reports instead of throwing a `HaftError`: it depends on nothing but Node, so that it can be put
 * into any place that has one. {@link "./wire/failures.ts"} turns it into an error with a fix on the host's side.
 */
export class RunnerError extends Error {
  readonly code: RunnerErrorCode;

  /** @param why the end of a sentence that starts with what was tried. */
  constructor(code: RunnerErrorCode, why: string) {
    super(why);
    this.name = "RunnerError";
    this.code = code;
  }
}

/** `ENOENT` and the like, if this is an error of the system. */
export function runnerErrno(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
