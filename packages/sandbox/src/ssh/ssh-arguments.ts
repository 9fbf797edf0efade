import { invalidOptions } from "@haft/core";

/**
 * Describes the connection to a machine. The operator sets all values: never use text of a model here.
 *
 * @example
 * ```ts
 * import type { SshTarget } from "@haft/sandbox";
 * const target: SshTarget = {
 *   host: "10.0.0.12",
 *   port: 2222,
 *   identityFile: "/etc/agent/id_ed25519",
 *   options: { UserKnownHostsFile: "/etc/agent/known_hosts" },
 * };
 * ```
 */
export interface SshTarget {
  /** Sets the host name, address, or alias of the user's ssh configuration. */
  host: string;
  /** Sets the user. Default: that of the ssh configuration. */
  user?: string;
  /** Sets the port, from 1 to 65,535. Default: that of the ssh configuration, else 22. */
  port?: number;
  /** Sets the path of a private key. With it, the client offers no other key. */
  identityFile?: string;
  /** Adds options of ssh_config(5): `{ UserKnownHostsFile: "/etc/haft/known_hosts", ProxyJump: "gate" }`. */
  options?: Readonly<Record<string, string>>;
  /** Sets the absolute path of the OpenSSH client. Default: `ssh` of the host's PATH. */
  ssh?: string;
}

const HOST = /^[A-Za-z0-9_][A-Za-z0-9._:-]{0,254}$/;
const USER = /^[A-Za-z0-9_][A-Za-z0-9._@+-]{0,63}$/;
const OPTION = /^[A-Za-z][A-Za-z0-9]*$/;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** ssh uses the first value of an option, so later options do not change these. */
const FIXED: Readonly<Record<string, string>> = {
  BatchMode: "yes",
  StrictHostKeyChecking: "yes",
  ClearAllForwardings: "yes",
  ForwardAgent: "no",
  ForwardX11: "no",
  PermitLocalCommand: "no",
  ControlMaster: "no",
  ControlPath: "none",
  EscapeChar: "none",
  RequestTTY: "no",
  RemoteCommand: "none",
};
const FIXED_NAMES = new Map(Object.keys(FIXED).map((name) => [name.toLowerCase(), name]));

const DEFAULTS: Readonly<Record<string, string>> = {
  ConnectTimeout: "10",
  ServerAliveInterval: "15",
  ServerAliveCountMax: "3",
  LogLevel: "ERROR",
};

/** Throws `INVALID_OPTIONS` for values that ssh would misread. */
export function sshArguments(target: SshTarget): string[] {
  const { host, user, port, identityFile, options = {} } = target;
  if (!HOST.test(host)) {
    const fix = "Give a name, an address or an alias; user and port are settings of their own.";
    throw invalidSshOptionError(`${JSON.stringify(host.slice(0, 100))} is not a host`, fix);
  }
  if (user !== undefined && !USER.test(user)) {
    throw invalidSshOptionError(
      `${JSON.stringify(user.slice(0, 100))} is not a user name`,
      "Use a plain login name.",
    );
  }
  if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > 65_535)) {
    throw invalidSshOptionError(`${port} is not a port`, "Use a number from 1 to 65535.");
  }
  if (identityFile !== undefined && (identityFile === "" || CONTROL.test(identityFile))) {
    throw invalidSshOptionError("the identity file is not a path", "Set the path of a private key.");
  }
  checkOptions(options);
  const chosen = new Set(Object.keys(options).map((name) => name.toLowerCase()));
  const defaults = Object.entries(DEFAULTS).filter(([name]) => !chosen.has(name.toLowerCase()));
  return [
    "-T",
    ...[...Object.entries(FIXED), ...Object.entries(options), ...defaults].flatMap(([name, value]) => [
      "-o",
      `${name}=${value}`,
    ]),
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(identityFile === undefined ? [] : ["-o", "IdentitiesOnly=yes", "-i", identityFile]),
    ...(user === undefined ? [] : ["-l", user]),
    "--",
    host,
  ];
}

function checkOptions(options: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (!OPTION.test(name) || typeof value !== "string" || CONTROL.test(value)) {
      const why = `${JSON.stringify(name.slice(0, 100))} is not an option with a one-line value`;
      throw invalidSshOptionError(why, "Use names of ssh_config(5) and plain text.");
    }
    const fixed = FIXED_NAMES.get(name.toLowerCase());
    if (fixed === undefined || FIXED[fixed] === value) continue;
    throw fixed === "StrictHostKeyChecking"
      ? invalidSshOptionError(
          "host keys are always checked",
          "Add the machine's key to a file of known hosts and name that as `UserKnownHostsFile`.",
        )
      : invalidSshOptionError(
          `${fixed} is always ${JSON.stringify(FIXED[fixed])} here`,
          "Remove the option.",
        );
  }
}

export function invalidSshOptionError(why: string, fix: string): Error {
  return invalidOptions(`Invalid settings for ssh: ${why}.`, fix);
}
