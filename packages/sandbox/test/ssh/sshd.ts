import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SshBackendOptions } from "../../src/ssh/ssh-backend.ts";
import { processesWith } from "../support.ts";

/** An sshd of its own on the loopback: own port, keys and configuration, for the user of the test. */
export interface Sshd {
  root: string;
  base: string;
  port: number;
  identityFile: string;
  target(more?: Partial<SshBackendOptions>): SshBackendOptions;
  stop(): Promise<void>;
}

const SSHD = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"].find((path) => existsSync(path));

export const noSshd = SSHD === undefined ? "sshd (openssh-server) is not installed" : undefined;

export async function startSshd(): Promise<Sshd> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-sshd-")));
  const root = join(base, "workspace with space");
  mkdirSync(root);
  const key = (name: string): string => {
    const path = join(base, name);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "haft-test", "-f", path]);
    return path;
  };
  const hostKey = key("host_key");
  const identityFile = key("user_key");
  const port = await freePort();
  const knownHosts = join(base, "known_hosts");
  writeFileSync(knownHosts, `[127.0.0.1]:${port} ${readFileSync(`${hostKey}.pub`, "utf8")}`);
  writeFileSync(join(base, "authorized_keys"), readFileSync(`${identityFile}.pub`));
  const config = join(base, "sshd_config");
  writeFileSync(
    config,
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${hostKey}`,
      `PidFile ${join(base, "sshd.pid")}`,
      `AuthorizedKeysFile ${join(base, "authorized_keys")}`,
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "PermitRootLogin prohibit-password",
      "StrictModes no",
      "UsePAM no",
      "MaxStartups 100",
      // What OpenSSH prefers costs a fifth of a second of each connection.
      "KexAlgorithms curve25519-sha256",
      "",
    ].join("\n"),
  );
  // Where the distribution's sshd insists on living, as root.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const child = spawn(SSHD!, ["-D", "-e", "-f", config], { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
  await listening(port, child, () => output);
  return {
    root,
    base,
    port,
    identityFile,
    target: (more = {}) => ({
      host: "127.0.0.1",
      port,
      user: userInfo().username,
      identityFile,
      root,
      remoteNode: process.execPath,
      ...more,
      options: { UserKnownHostsFile: knownHosts, GlobalKnownHostsFile: "/dev/null", ...more.options },
    }),
    stop: async () => {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      if (child.exitCode === null) await exited;
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export function clients(port: number): number[] {
  return processesWith(`\0-p\0${port}\0`);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(port: number, child: ChildProcess, readOutput: () => string): Promise<void> {
  for (let left = 200; left > 0 && child.exitCode === null; left--) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("close", () => socket.destroy());
      socket.once("connect", () => socket.end());
    });
    if (open) return;
    await sleep(25);
  }
  throw new Error(`sshd did not start: ${readOutput()}`);
}
