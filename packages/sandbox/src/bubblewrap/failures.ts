import { HaftError } from "@haft/core";

/** The specification asks for what bubblewrap cannot hold. */
export function unsupported(why: string, fix: string): HaftError {
  return new HaftError("SANDBOX_UNSUPPORTED", `A bubblewrap sandbox cannot be opened like this: ${why}.`, {
    category: "input",
    fix,
    details: { backend: "bubblewrap" },
    receipt: "none",
  });
}

export function startFailed(why: string, fix: string, cause?: unknown): HaftError {
  return new HaftError("SANDBOX_START_FAILED", `The bubblewrap sandbox did not start: ${why}.`, {
    category: "operational",
    fix,
    details: { backend: "bubblewrap" },
    receipt: "none",
    cause,
  });
}

export function unavailable(why: string, fix: string): HaftError {
  return new HaftError("SANDBOX_UNAVAILABLE", `There are no bubblewrap sandboxes on this machine: ${why}.`, {
    category: "operational",
    fix,
    details: { backend: "bubblewrap" },
    receipt: "none",
  });
}

export function noRunner(why: string): HaftError {
  return new HaftError("SANDBOX_NO_RUNNER", `The runner cannot run in a bubblewrap sandbox: ${why}.`, {
    category: "operational",
    fix: "Run Haft on a Node that needs nothing outside /usr, such as the official builds or the distribution's, or add the folders it needs to `system`.",
    details: { backend: "bubblewrap" },
    receipt: "none",
  });
}

export function aborted(): HaftError {
  return new HaftError("ABORTED", "Opening the sandbox was cancelled.", {
    category: "operational",
    receipt: "none",
  });
}
