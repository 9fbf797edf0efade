import { HaftError } from "@haft/core";

type SshCode =
  | "SANDBOX_UNAVAILABLE"
  | "SANDBOX_START_FAILED"
  | "SANDBOX_UNSUPPORTED"
  | "SANDBOX_SETUP_FAILED"
  | "SSH_OPTIONS_INVALID";

const BEGINNINGS: Readonly<Record<SshCode, string>> = {
  SANDBOX_UNAVAILABLE: "There is no way to the machine over ssh",
  SANDBOX_START_FAILED: "The workspace over ssh did not start",
  SANDBOX_UNSUPPORTED: "A workspace over ssh cannot be opened like this",
  SANDBOX_SETUP_FAILED: "The setup of the workspace over ssh failed",
  SSH_OPTIONS_INVALID: "These are no usable settings for ssh",
};

const INPUT: readonly SshCode[] = ["SANDBOX_UNSUPPORTED", "SSH_OPTIONS_INVALID"];

/** A coded error of this backend. Nothing has happened. */
export function sshFailure(
  code: SshCode,
  why: string,
  fix: string,
  details: Record<string, unknown> = {},
): HaftError {
  return new HaftError(code, `${BEGINNINGS[code]}: ${why}.`, {
    category: INPUT.includes(code) ? "input" : "operational",
    fix,
    details: { backend: "ssh", ...details },
    receipt: "none",
  });
}

interface Known {
  said: RegExp;
  /** For programs; in the details. */
  cause: string;
  why: string;
  fix: string;
}

/** What OpenSSH says in English, most telling first: one failure often has several lines. */
const KNOWN: readonly Known[] = [
  {
    said: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    cause: "host-key-changed",
    why: "its host key is not the one that is known for it, so it may be another machine",
    fix: "Ask whoever runs the machine. Only if its key was changed on purpose, remove the old one with `ssh-keygen -R` and add the new one.",
  },
  {
    said: /Host key verification failed|No \S+ host key is known|host key .* revoked/i,
    cause: "host-key-unknown",
    why: "its host key is not known, and none is ever accepted unseen",
    fix: "Connect once by hand with `ssh` and compare the fingerprint, or add the key to a file and name it as `options: { UserKnownHostsFile: … }`.",
  },
  {
    said: /Permission denied|Too many authentication failures|No supported authentication methods/,
    cause: "authentication-failed",
    why: "it does not let this user in with the keys at hand",
    fix: "Give the right `user` and `identityFile`, add the public key to `authorized_keys` there, or start an agent. Passwords are never asked for.",
  },
  {
    said: /Connection refused/,
    cause: "refused",
    why: "nothing listens on that port",
    fix: "Check `host` and `port`, and whether sshd runs there.",
  },
  {
    said: /Could not resolve hostname|Name or service not known/i,
    cause: "unknown-host",
    why: "there is no such host",
    fix: "Check the spelling of `host`, and whether this machine can resolve names.",
  },
  {
    said: /timed out|No route to host|Network is unreachable|banner exchange/i,
    cause: "unreachable",
    why: "it does not answer",
    fix: "Check the network between the two, and its firewalls.",
  },
  {
    said: /Bad configuration option|command-line: line|Unsupported option|terminating, \d+ bad configuration/i,
    cause: "bad-option",
    why: "ssh does not understand one of the options",
    fix: "Look at `options` and at the user's ssh configuration.",
  },
  {
    said: /UNPROTECTED PRIVATE KEY FILE|bad permissions/,
    cause: "key-permissions",
    why: "ssh does not use a key that others can read",
    fix: "Take the rights of others off the key file: `chmod 600`.",
  },
];

/** Why ssh gave up, from what it wrote to its standard error. */
export function explainSsh(stderr: string, host: string): HaftError {
  const said = stderr.trim().slice(-2_000);
  const known = KNOWN.find((one) => one.said.test(stderr));
  const last = said.split("\n").at(-1) ?? "";
  return sshFailure(
    "SANDBOX_UNAVAILABLE",
    known?.why ?? (last === "" ? "ssh ended without a word" : `ssh said: ${JSON.stringify(last)}`),
    known?.fix ?? "Try the same with `ssh -v`, and look at the log of sshd there.",
    { host, cause: known?.cause ?? "unknown", ...(said === "" ? {} : { said }) },
  );
}
