import { HaftError, messageOf } from "@haft/core";
import type { HaftErrorOptions } from "@haft/core";

function failure(
  code: string,
  message: string,
  fix: string,
  more: Partial<HaftErrorOptions> & { details?: Record<string, unknown> } = {},
): HaftError {
  const { details, ...rest } = more;
  return new HaftError(code, message, {
    category: "operational",
    fix,
    details: { backend: "docker", ...details },
    receipt: "none",
    ...rest,
  });
}

/** Docker cannot be reached, or does not answer. */
export function unavailable(why: string, fix: string, cause?: unknown): HaftError {
  return failure("SANDBOX_UNAVAILABLE", `There are no Docker sandboxes on this machine: ${why}.`, fix, {
    cause,
  });
}

/** The specification asks for what Docker cannot hold, or must not give. */
export function unsupported(why: string, fix: string): HaftError {
  const message = `A Docker sandbox cannot be opened like this: ${why}.`;
  return failure("SANDBOX_UNSUPPORTED", message, fix, { category: "input" });
}

export function startFailed(why: string, fix: string, cause?: unknown): HaftError {
  return failure("SANDBOX_START_FAILED", `The Docker sandbox did not start: ${why}.`, fix, { cause });
}

export function imageMissing(image: string): HaftError {
  return failure(
    "SANDBOX_IMAGE_MISSING",
    `Docker has no image ${JSON.stringify(image)}, and Haft never pulls one by itself.`,
    `Get it with \`docker pull ${image}\`, build it, or use the image "haft/host-usr", which needs no registry.`,
    { details: { image } },
  );
}

/** @param tried what came of each way in, as sentences. */
export function noRunner(image: string, tried: readonly string[]): HaftError {
  return failure(
    "SANDBOX_NO_RUNNER",
    `Nothing in the image ${JSON.stringify(image)} can run Haft's runner: ${tried.join("; ")}.`,
    "Use an image with Node 20 or later, or with glibc, for which the Node of this machine does, or with a POSIX shell.",
    { details: { image, tried } },
  );
}

export function setupFailed(output: string): HaftError {
  const said = output.trim().split("\n").at(-1) ?? "";
  return failure(
    "SANDBOX_SETUP_FAILED",
    `The setup script of the sandbox failed: ${said || "it said nothing"}.`,
    "Correct the script; it runs inside, without the host's files and, unless asked for, without a network.",
    { receipt: "unknown", details: { output: output.slice(-2000) } },
  );
}

/** A file system below a folder that is read-only, which the Engine cannot mount by itself. */
export function belowRefused(path: string, cause: unknown): HaftError {
  return failure(
    "SANDBOX_MOUNT_REFUSED",
    `${path} is not mounted into a sandbox: it is a file system of its own below a read-only folder, and the Engine could not mount it read-only (${messageOf(cause)}).`,
    "Unmount it, leave the folder out, or use Docker 25 or newer on Linux 5.12 or newer, or bubblewrap.",
    { category: "policy", cause, details: { path } },
  );
}

/** It may still run, and use and write what it was allowed to. */
export function notRemoved(id: string, cause: unknown): HaftError {
  const why = cause === undefined ? "it is still there" : messageOf(cause).replace(/\.$/, "");
  return failure(
    "SANDBOX_NOT_REMOVED",
    `The container ${id.slice(0, 12)} of a sandbox was not removed, and may still run: ${why}.`,
    `Restart Docker when it hangs, then \`docker rm -f ${id.slice(0, 12)}\`; the next Haft on this machine removes it, too.`,
    { receipt: "unknown", cause, details: { id } },
  );
}

export function aborted(): HaftError {
  return failure("ABORTED", "Opening the sandbox was cancelled.", "Open it again if it is still wanted.");
}
