import type { HaftError } from "@haft/core";
import { sandboxError } from "../errors.ts";
import { explainSsh, sshFailure } from "./failures.ts";
import type { Greeting } from "./remote-start.ts";
import type { SshClient } from "./ssh-client.ts";

/** Why it ended without a greeting. */
export function neverGreeted({ spawnError, exitCode, stderr }: SshClient, host: string): HaftError {
  if (spawnError !== undefined) {
    return sshFailure(
      "SANDBOX_UNAVAILABLE",
      `the OpenSSH client cannot be started: ${spawnError.message}`,
      "Install it (apt install openssh-client), or name it as `ssh`.",
      { host, cause: "no-client" },
    );
  }
  // 255 is ssh's own; anything else came from the other side, which was reached then.
  if (exitCode === 255 || exitCode === undefined) return explainSsh(stderr, host);
  return sshFailure(
    "SANDBOX_START_FAILED",
    `the login shell there ended with exit code ${exitCode} and did not run what it was given`,
    "The user needs a shell that runs commands, without a forced command for its key.",
    { host, said: stderr.trim().slice(-2_000) },
  );
}

/** @throws HaftError for a greeting that says why it does not serve */
export function checkGreeting(
  { kind, root }: Greeting,
  { stderr }: SshClient,
  remoteNode: string | false | undefined,
): void {
  switch (kind) {
    case "node":
    case "shell":
      return;
    case "no-root":
      throw sshFailure(
        "SANDBOX_START_FAILED",
        `the folder ${JSON.stringify(root)} cannot be entered there`,
        "Create it there, or name another `root`.",
        { root },
      );
    case "no-folder":
      throw sshFailure(
        "SANDBOX_START_FAILED",
        "no private folder could be made there",
        "Make room in its temporary folder, or open the workspace `rw`.",
      );
    case "no-node":
      throw sandboxError(
        "SANDBOX_NO_RUNNER",
        `No runner can serve over ssh: ${JSON.stringify(remoteNode)} is no Node of version 20 or later there.`,
        {
          fix: "Name the Node there by its full path, or leave `remoteNode` out so that a shell may serve.",
          details: { backend: "ssh", cause: "no-node" },
          receipt: "none",
        },
      );
    case "setup-failed":
      throw sshFailure(
        "SANDBOX_SETUP_FAILED",
        "the setup script ended with an error there",
        "Correct the script; what it wrote is in the details.",
        { said: stderr.trim().slice(-2_000) },
      );
  }
}
