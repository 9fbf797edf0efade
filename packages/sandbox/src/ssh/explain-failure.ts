import type { HaftError } from "@haft/core";
import { noRunnerError, sshError } from "../errors.ts";
import type { Greeting } from "./remote-start.ts";
import type { SshClient } from "./ssh-client.ts";

interface Known {
  said: RegExp;
  cause: string;
  why: string;
  fix: string;
}

/** Most specific first, because one failure often prints several lines. */
const KNOWN: readonly Known[] = [
  {
    said: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    cause: "host-key-changed",
    why: "its host key differs from the known key, so it may be another machine",
    fix: "Ask the operator of the machine. Only if the key was changed on purpose, remove the old key with `ssh-keygen -R` and add the new key.",
  },
  {
    said: /Host key verification failed|No \S+ host key is known|host key .* revoked/i,
    cause: "host-key-unknown",
    why: "its host key is unknown, and unknown keys are never accepted",
    fix: "Connect once by hand with `ssh` and compare the fingerprint, or add the key to a file and name it as `options: { UserKnownHostsFile: … }`.",
  },
  {
    said: /Permission denied|Too many authentication failures|No supported authentication methods/,
    cause: "authentication-failed",
    why: "it rejects this user with the available keys",
    fix: "Set the right `user` and `identityFile`, add the public key to `authorized_keys` there, or start an agent. Haft never asks for passwords.",
  },
  {
    said: /Connection refused/,
    cause: "refused",
    why: "no server listens on that port",
    fix: "Check `host` and `port`, and that sshd runs there.",
  },
  {
    said: /Could not resolve hostname|Name or service not known/i,
    cause: "unknown-host",
    why: "the host does not exist",
    fix: "Check the spelling of `host`, and that this machine can resolve names.",
  },
  {
    said: /timed out|No route to host|Network is unreachable|banner exchange/i,
    cause: "unreachable",
    why: "it does not answer",
    fix: "Check the network and firewalls between the machines.",
  },
  {
    said: /Bad configuration option|command-line: line|Unsupported option|terminating, \d+ bad configuration/i,
    cause: "bad-option",
    why: "ssh does not support one of the options",
    fix: "Check `options` and the user's ssh configuration.",
  },
  {
    said: /UNPROTECTED PRIVATE KEY FILE|bad permissions/,
    cause: "key-permissions",
    why: "ssh rejects a key that others can read",
    fix: "Remove the rights of others from the key file: `chmod 600`.",
  },
];

function explainSsh(stderr: string, host: string): HaftError {
  const output = stderr.trim().slice(-2_000);
  const known = KNOWN.find((one) => one.said.test(stderr));
  const last = output.split("\n").at(-1) ?? "";
  return sshError(
    "SANDBOX_UNAVAILABLE",
    known?.why ?? (last === "" ? "ssh ended without a message" : `ssh reported: ${JSON.stringify(last)}`),
    known?.fix ?? "Try the same with `ssh -v`, and check the log of sshd there.",
    { details: { host, cause: known?.cause ?? "unknown", ...(output === "" ? {} : { said: output }) } },
  );
}

export function noGreetingError({ spawnError, exitCode, stderr }: SshClient, host: string): HaftError {
  if (spawnError !== undefined) {
    const why = `the OpenSSH client cannot be started: ${spawnError.message}`;
    const fix = "Install it (apt install openssh-client), or set its path as `ssh`.";
    return sshError("SANDBOX_UNAVAILABLE", why, fix, { details: { host, cause: "no-client" } });
  }
  // 255 is ssh's own code.
  if (exitCode === 255 || exitCode === undefined) return explainSsh(stderr, host);
  const why = `the login shell there ended with exit code ${exitCode} and did not run the command`;
  const fix = "Give the user a shell that runs commands, without a forced command for its key.";
  const details = { host, said: stderr.trim().slice(-2_000) };
  return sshError("SANDBOX_START_FAILED", why, fix, { details });
}

export function checkGreeting(
  { kind, root }: Greeting,
  { stderr }: SshClient,
  remoteNode: string | false | undefined,
): void {
  switch (kind) {
    case "node":
    case "shell":
      return;
    case "no-root": {
      const why = `the folder ${JSON.stringify(root)} cannot be entered there`;
      const fix = "Create it there, or name another `root`.";
      throw sshError("SANDBOX_START_FAILED", why, fix, { details: { root } });
    }
    case "no-folder": {
      const fix = "Free space in its temporary folder, or open the workspace `rw`.";
      throw sshError("SANDBOX_START_FAILED", "no private folder could be created there", fix);
    }
    case "no-node": {
      const message = `No runner can serve over ssh: ${JSON.stringify(remoteNode)} is not Node 20 or later there.`;
      const fix = "Set `remoteNode` to the full path of Node there, or remove it to allow a shell runner.";
      throw noRunnerError("ssh", message, fix, { cause: "no-node" });
    }
    case "setup-failed": {
      const fix = "Correct the script; what it wrote is in the details.";
      const options = { details: { said: stderr.trim().slice(-2_000) }, receipt: "none" } as const;
      throw sshError("SANDBOX_SETUP_FAILED", "the setup script ended with an error there", fix, options);
    }
  }
}
