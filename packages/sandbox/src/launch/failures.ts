import { HaftError } from "@haft/core";

/** What a backend that starts processes here says when it cannot. Nothing has happened then. */
export interface LaunchFailures {
  /** The specification asks for what it cannot hold. */
  unsupported: (why: string, fix: string) => HaftError;
  startFailed: (why: string, fix: string, cause?: unknown) => HaftError;
  /** This machine cannot. */
  unavailable: (why: string, fix: string) => HaftError;
  aborted: () => HaftError;
}

export function launchFailures(backend: string): LaunchFailures {
  const failure = (
    code: string,
    category: "input" | "operational",
    text: string,
    fix: string,
    cause?: unknown,
  ) => new HaftError(code, text, { category, fix, details: { backend }, receipt: "none", cause });
  return {
    unsupported: (why, fix) =>
      failure(
        "SANDBOX_UNSUPPORTED",
        "input",
        `A ${backend} sandbox cannot be opened like this: ${why}.`,
        fix,
      ),
    startFailed: (why, fix, cause) =>
      failure(
        "SANDBOX_START_FAILED",
        "operational",
        `The ${backend} sandbox did not start: ${why}.`,
        fix,
        cause,
      ),
    unavailable: (why, fix) =>
      failure(
        "SANDBOX_UNAVAILABLE",
        "operational",
        `There are no ${backend} sandboxes on this machine: ${why}.`,
        fix,
      ),
    aborted: () =>
      failure(
        "ABORTED",
        "operational",
        "Opening the sandbox was cancelled.",
        "Open it again if it is still wanted.",
      ),
  };
}
