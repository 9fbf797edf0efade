import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import type { Mount } from "@haft/core";
import { HaftError } from "@haft/core";
import type {
  SandboxBackend,
  SandboxConnection,
  SandboxEnd,
  SandboxProbe,
  SandboxRef,
  SandboxSpec,
} from "../backend.ts";
import { ChildStream } from "../launch/child-stream.ts";
import { SHELL_RUNNER } from "../shell-runner/program.ts";
import { checkRemote, checkSupported } from "./check-spec.ts";
import { explainSsh, sshFailure } from "./failures.ts";
import type { Greeting } from "./remote-start.ts";
import { remoteCommand } from "./remote-start.ts";
import type { SshTarget } from "./ssh-arguments.ts";
import { sshArguments } from "./ssh-arguments.ts";
import { clientEnvironment, SshClient } from "./ssh-client.ts";

export interface SshBackendOptions extends SshTarget {
  /** The workspace: an absolute folder on the remote machine, which has to be there. */
  root: string;
  /**
   * Node there, 20 or later: a name or a path. By default `node` where it is on the PATH of a login without terminal,
   * else a shell serves, which can less. `false` for the shell in any case.
   */
  remoteNode?: string | false;
}

const ID = "ssh";
const START_MS = 30_000;
/** Time the far end has to clear up. */
const END_MS = 5_000;

/**
 * Workspaces on another machine, through the OpenSSH client and one connection each.
 *
 * The isolation is what that machine gives its user: Haft adds none, so give the connection a user, a container or a
 * machine of its own. It therefore only takes specifications that ask for nothing else: `network: "full"`, a workspace
 * `rw` (the remote `root`; the host's folder of the specification plays no part) or `none` (a private folder that
 * goes with the connection), no other mounts, no image, no user. Of the limits only `fileMb` holds.
 *
 * Host keys have to be known before; passwords are never asked for. When the connection ends, for whatever reason the
 * far end can notice, the runner there and everything it started ends.
 *
 * @throws HaftError `SSH_OPTIONS_INVALID`
 */
export function createSshBackend(options: SshBackendOptions): SandboxBackend {
  return new SshBackend(options);
}

class SshBackend implements SandboxBackend {
  readonly id = ID;
  readonly #options: SshBackendOptions;
  readonly #arguments: readonly string[];
  readonly #open = new Map<string, { ref: SandboxRef; close: () => Promise<void> }>();

  constructor(options: SshBackendOptions) {
    this.#options = options;
    this.#arguments = sshArguments(options);
    checkRemote(options);
  }

  async probe(signal?: AbortSignal): Promise<SandboxProbe> {
    const started = performance.now();
    try {
      const connection = await this.open(PROBE, signal);
      const startMs = Math.round(performance.now() - started);
      await connection.close();
      return {
        backend: ID,
        available: true,
        details: {
          host: this.#options.host,
          root: connection.mounts[0]!.path,
          runner: connection.runner === "shell" ? "POSIX shell (no Node there)" : "Node",
          isolation: "none of Haft's: that of the remote user",
          network: "the remote machine's",
          limits: "only the size of files",
        },
        startMs,
      };
    } catch (thrown) {
      if (!HaftError.is(thrown) || signal?.aborted === true) throw thrown;
      const { message, fix, details } = thrown;
      return {
        backend: ID,
        available: false,
        reason: message,
        ...(fix === undefined ? {} : { fix }),
        details: { host: this.#options.host, code: thrown.code, cause: textOf(details?.["cause"]) },
      };
    }
  }

  async open(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection> {
    if (signal?.aborted === true) throw aborted();
    checkSupported(spec);
    const { BOOTSTRAP, runnerProgram, withProgram } = await import("@haft/workspace/runner");
    const { root, remoteNode: node } = this.#options;
    const shellBytes = Buffer.byteLength(SHELL_RUNNER);
    const command = remoteCommand({ root, node, shellBytes, bootstrap: BOOTSTRAP }, spec);
    const { source } = await runnerProgram();
    const ssh = this.#start(command);
    const { greeting, stream } = await this.#greeted(ssh, signal);
    if (greeting.kind === "node") withProgram(stream, source);
    else stream.write(SHELL_RUNNER);
    return this.#connect(spec, greeting, ssh, stream);
  }

  list(): Promise<SandboxRef[]> {
    return Promise.resolve([...this.#open.values()].map(({ ref }) => ref));
  }

  async destroy({ id }: SandboxRef): Promise<boolean> {
    const one = this.#open.get(id);
    await one?.close();
    return one !== undefined;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ close }) => close()));
  }

  #start(command: string): SshClient {
    const child = spawn(this.#options.ssh ?? "ssh", [...this.#arguments, command], {
      // Of its own, so that signals of the host's terminal are for the host.
      detached: true,
      env: clientEnvironment(),
      stdio: ["pipe", "pipe", "pipe"],
    });
    return new SshClient(child);
  }

  /** @throws HaftError when the far end never says what it is. */
  async #greeted(ssh: SshClient, signal?: AbortSignal): Promise<{ greeting: Greeting; stream: ChildStream }> {
    let tooLate = false;
    const timer = setTimeout(() => {
      tooLate = true;
      ssh.kill();
    }, START_MS);
    const stop = (): void => ssh.kill();
    signal?.addEventListener("abort", stop);
    try {
      const greeting = await ssh.greeting();
      if (signal?.aborted === true) throw aborted();
      if (tooLate) {
        throw sshFailure(
          "SANDBOX_START_FAILED",
          `it said nothing for ${START_MS / 1000} seconds`,
          "Look at what the login shell of the user does there.",
        );
      }
      if (greeting === undefined) throw this.#explain(ssh);
      const serves = greeting.kind === "node" || greeting.kind === "shell";
      // What it has to say about it comes on another stream, so perhaps later.
      if (!serves) await ssh.exit;
      this.#checkGreeting(greeting, ssh);
      return { greeting, stream: new ChildStream(ssh.child) };
    } catch (thrown) {
      ssh.kill();
      ssh.child.stdin.destroy();
      ssh.child.stdout.destroy();
      throw thrown;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  #explain({ spawnError, exitCode, complaint }: SshClient): HaftError {
    const { host } = this.#options;
    if (spawnError !== undefined) {
      return sshFailure(
        "SANDBOX_UNAVAILABLE",
        `the OpenSSH client cannot be started: ${spawnError.message}`,
        "Install it (apt install openssh-client), or name it as `ssh`.",
        { host, cause: "no-client" },
      );
    }
    // 255 is ssh's own; anything else came from the other side, which was reached then.
    if (exitCode === 255 || exitCode === undefined) return explainSsh(complaint, host);
    return sshFailure(
      "SANDBOX_START_FAILED",
      `the login shell there ended with exit code ${exitCode} and did not run what it was given`,
      "The user needs a shell that runs commands, without a forced command for its key.",
      { host, said: complaint.trim().slice(-2_000) },
    );
  }

  #checkGreeting({ kind, root }: Greeting, { complaint }: SshClient): void {
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
        throw new HaftError(
          "SANDBOX_NO_RUNNER",
          `No runner can serve over ssh: ${JSON.stringify(this.#options.remoteNode)} is no Node of version 20 or later there.`,
          {
            category: "operational",
            fix: "Name the Node there by its full path, or leave `remoteNode` out so that a shell may serve.",
            details: { backend: ID, cause: "no-node" },
            receipt: "none",
          },
        );
      case "setup-failed":
        throw sshFailure(
          "SANDBOX_SETUP_FAILED",
          "the setup script ended with an error there",
          "Correct the script; what it wrote is in the details.",
          { said: complaint.trim().slice(-2_000) },
        );
    }
  }

  #connect(
    spec: SandboxSpec,
    { kind, root }: Greeting,
    ssh: SshClient,
    stream: ChildStream,
  ): SandboxConnection {
    let closing = false;
    const ref: SandboxRef = {
      backend: ID,
      id: randomBytes(8).toString("hex"),
      key: spec.key,
      scope: spec.scope,
      specHash: createHash("sha256").update(JSON.stringify(spec)).digest("hex").slice(0, 16),
      createdAt: Date.now(),
      state: "running",
      detached: false,
    };
    const ended = ssh.exit.then((): SandboxEnd => {
      stream.destroy();
      this.#open.delete(ref.id);
      const exitCode = ssh.exitCode === undefined ? {} : { exitCode: ssh.exitCode };
      if (closing) return { why: "it was closed", ...exitCode };
      const said = ssh.complaint.trim().split("\n").at(-1) ?? "";
      return { why: `the connection ended${said === "" ? "" : `: ${said}`}`, ...exitCode };
    });
    const close = async (): Promise<void> => {
      closing = true;
      stream.end();
      stream.resume();
      const force = setTimeout(() => ssh.kill(), END_MS);
      await ended;
      clearTimeout(force);
    };
    this.#open.set(ref.id, { ref, close });
    const mounts: Mount[] = [{ name: "", path: root, access: "rw" }];
    return {
      stream,
      ref,
      mounts,
      facts: { mount: spec.workspace, network: "full" },
      runner: kind === "shell" ? "shell" : "program",
      ended,
      close,
    };
  }
}

const PROBE: SandboxSpec = {
  key: "probe",
  scope: "session",
  workspace: "rw",
  mounts: [],
  env: {},
  network: "full",
  limits: { memoryMb: 0, tasks: 0, cpus: 0, fileMb: 1024, tmpMb: 0 },
  lifetime: "tethered",
};

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function aborted(): HaftError {
  return new HaftError("ABORTED", "Opening the workspace over ssh was cancelled.", {
    category: "operational",
    fix: "Open it again if it is still wanted.",
    receipt: "none",
  });
}
