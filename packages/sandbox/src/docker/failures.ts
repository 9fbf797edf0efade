import { HaftError } from "@haft/core";

const details = { backend: "docker" };

export function unavailable(why: string, fix: string, cause?: unknown): HaftError {
  return new HaftError("SANDBOX_UNAVAILABLE", `There are no Docker sandboxes on this machine: ${why}.`, {
    category: "operational",
    fix,
    details,
    receipt: "none",
    cause,
  });
}

export function unsupported(why: string, fix: string): HaftError {
  return new HaftError("SANDBOX_UNSUPPORTED", `A Docker sandbox cannot be opened like this: ${why}.`, {
    category: "input",
    fix,
    details,
    receipt: "none",
  });
}

export function startFailed(why: string, fix: string): HaftError {
  return new HaftError("SANDBOX_START_FAILED", `The Docker sandbox did not start: ${why}.`, {
    category: "operational",
    fix,
    details,
    receipt: "none",
  });
}

export function imageMissing(image: string): HaftError {
  return new HaftError("SANDBOX_IMAGE_MISSING", `The Docker image ${image} is not on this machine.`, {
    category: "operational",
    fix: `Pull or build it (docker pull ${image}); without a registry, the image "${HOST_USR}" is made of this machine's own /usr.`,
    details: { ...details, image },
    receipt: "none",
  });
}

/** Name of the image that is made here when it is asked for. */
export const HOST_USR = "haft/host-usr";

export function noRunner(image: string, tried: string): HaftError {
  return new HaftError(
    "SANDBOX_NO_RUNNER",
    `Nothing in the image ${image} can run Haft's runner: ${tried}.`,
    {
      category: "operational",
      fix: "Use an image with Node 20 or later, or one with the GNU C library, in which the host's Node runs.",
      details: { ...details, image },
      receipt: "none",
    },
  );
}

export function aborted(): HaftError {
  return new HaftError("ABORTED", "Opening the sandbox was cancelled.", {
    category: "operational",
    receipt: "none",
  });
}
