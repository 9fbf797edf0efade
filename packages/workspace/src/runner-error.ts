export const RUNNER_ERROR_CODES = [
  "INVALID_PROCESS",
  "WORKDIR_NOT_FOUND",
  "PROGRAM_NOT_FOUND",
  "COMMAND_TOO_LONG",
  "SPAWN_FAILED",
  "PLAN_CHANGED",
  "TOO_MANY_PROCESSES",
  "PTY_UNAVAILABLE",
  "PROCESS_NOT_FOUND",
  "PROCESS_RUNNING",
  "STDIN_CLOSED",
  "STDIN_FULL",
  "NOT_A_TERMINAL",
  "SESSION_LEASE_LOST",
  "HOST_PROGRAM_CHANGED",
  "HOST_PROGRAM_MISSING",
  "HOST_PROGRAM_REFUSED",
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
export function errnoOf(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
