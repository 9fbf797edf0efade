import type { ChildProcessWithoutNullStreams } from "node:child_process";
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
import { ChildStream } from "../bubblewrap/child-stream.ts";
import { SHELL_RUNNER } from "../shell-runner/program.ts";
import { explainSsh, sshFailure } from "./failures.ts";
import type { Greeting } from "./remote-start.ts";
import { readGreeting, remoteCommand } from "./remote-start.ts";
import type { SshTarget } from "./ssh-arguments.ts";
import { sshArguments } from "./ssh-arguments.ts";

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
const MAX_COMPLAINT = 16_000;
/** What a login shell may say before the runner does. */
const MAX_NOISE = 256 * 1024;

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

  #start(command: string): Ssh {
    const child = spawn(this.#options.ssh ?? "ssh", [...this.#arguments, command], {
      // Of its own, so that signals of the host's terminal are for the host.
      detached: true,
      env: clientEnvironment(),
      stdio: ["pipe", "pipe", "pipe"],
    });
    return new Ssh(child);
  }

  /** @throws HaftError when the far end never says what it is. */
  async #greeted(ssh: Ssh, signal?: AbortSignal): Promise<{ greeting: Greeting; stream: ChildStream }> {
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

  #explain({ spawnError, exitCode, complaint }: Ssh): HaftError {
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

  #checkGreeting({ kind, root }: Greeting, { complaint }: Ssh): void {
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

  #connect(spec: SandboxSpec, { kind, root }: Greeting, ssh: Ssh, stream: ChildStream): SandboxConnection {
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

/** A client that was started. */
class Ssh {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exit: Promise<void>;
  complaint = "";
  exitCode: number | undefined;
  spawnError: Error | undefined;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    child.stdin.on("error", () => {});
    child.stderr.on("data", (bytes: Buffer) => {
      this.complaint = (this.complaint + bytes.toString()).slice(-MAX_COMPLAINT);
    });
    this.exit = new Promise((resolve) => {
      child.once("error", (error) => {
        this.spawnError = error;
        resolve();
      });
      child.once("close", (code) => {
        this.exitCode = code ?? undefined;
        resolve();
      });
    });
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  /** The first line that is one of ours; what follows stays in the stream. `undefined` when it ends before. */
  async greeting(): Promise<Greeting | undefined> {
    const { stdout } = this.child;
    let said = Buffer.alloc(0);
    return new Promise((resolve) => {
      const done = (greeting: Greeting | undefined): void => {
        stdout.pause();
        stdout.off("data", take);
        resolve(greeting);
      };
      const take = (bytes: Buffer): void => {
        said = Buffer.concat([said, bytes]);
        for (let end = said.indexOf(10); end !== -1; end = said.indexOf(10)) {
          const greeting = readGreeting(said.toString("utf8", 0, end));
          said = said.subarray(end + 1);
          if (greeting === undefined) continue;
          done(greeting);
          if (said.length > 0) stdout.unshift(said);
          return;
        }
        if (said.length > MAX_NOISE) {
          this.complaint += "\nIt said too much before the runner was started.";
          this.kill();
        }
      };
      stdout.on("data", take);
      void this.exit.then(() => done(undefined));
    });
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

/** What the client needs to find its keys. Nothing else of the host could be sent along by its configuration. */
function clientEnvironment(): Record<string, string> {
  const kept = ["PATH", "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR"].map((name) => [
    name,
    process.env[name],
  ]);
  const present = kept.filter(([, value]) => value !== undefined) as [string, string][];
  return { ...Object.fromEntries(present), LC_ALL: "C" };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

function checkRemote({ root, remoteNode }: SshBackendOptions): void {
  if (!root.startsWith("/") || CONTROL.test(root)) {
    throw sshFailure(
      "SSH_OPTIONS_INVALID",
      `the root ${JSON.stringify(root)} is not an absolute path`,
      "Name a folder of the remote machine, from `/` on.",
    );
  }
  if (typeof remoteNode !== "string") return;
  if (remoteNode === "" || remoteNode.startsWith("-") || CONTROL.test(remoteNode)) {
    throw sshFailure(
      "SSH_OPTIONS_INVALID",
      `${JSON.stringify(remoteNode)} is not a program`,
      "Name Node as it is called there, or by its path.",
    );
  }
}

function checkSupported(spec: SandboxSpec): void {
  const refuse = (why: string, fix: string): never => {
    throw sshFailure("SANDBOX_UNSUPPORTED", why, fix);
  };
  if (spec.network !== "full") {
    refuse(
      "the other machine has a network, and ssh cannot take it away",
      'Say `network: "full"`, or use a backend that isolates.',
    );
  }
  if (spec.workspace === "ro") {
    refuse(
      "commands on the other machine can write what its user can write",
      'Use the workspace "rw" or "none", or a user there who may only read.',
    );
  }
  if (spec.mounts.some(({ name }) => name !== "")) {
    refuse(
      "folders of this machine are not there",
      "Leave out further mounts, or copy what is needed there.",
    );
  }
  if (spec.image !== undefined) refuse("there are no images", "Leave the image out.");
  if (spec.user !== undefined) {
    refuse("commands run as the user of the connection", "Give the `user` to createSshBackend instead.");
  }
  if (spec.lifetime !== "tethered") {
    refuse("what runs there ends with the connection", 'Use the lifetime "tethered".');
  }
  if (spec.setup?.includes("\0") === true) refuse("the setup script has a NUL in it", "Take it out.");
}

function aborted(): HaftError {
  return new HaftError("ABORTED", "Opening the workspace over ssh was cancelled.", {
    category: "operational",
    fix: "Open it again if it is still wanted.",
    receipt: "none",
  });
}
