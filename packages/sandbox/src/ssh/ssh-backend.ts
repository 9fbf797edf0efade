import { HaftError, type Mount } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { formatMissingProgram, startProgram } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { randomBytes } from "node:crypto";
import type {
  SandboxBackend,
  SandboxConnection,
  SandboxEnd,
  SandboxProbe,
  SandboxRef,
  SandboxSpec,
} from "../backend.ts";
import { END_MS, START_MS } from "../defaults.ts";
import { abortedError, sshError } from "../errors.ts";
import { ChildStream } from "../launch/launched-process.ts";
import { probeSpec } from "../launch/probe-results.ts";
import { sandboxRef } from "../launch/sandbox-ref.ts";
import { waitFor } from "../launch/wait-for.ts";
import { withCodedErrors, findBackendProgram } from "../programs/host-programs.ts";
import { readShellProgram } from "../shell-runner/connect-shell-runner.ts";
import { checkGreeting, noGreetingError } from "./explain-failure.ts";
import { type Greeting, remoteCommand } from "./remote-start.ts";
import { invalidSshOptionError, sshArguments, type SshTarget } from "./ssh-arguments.ts";
import { clientEnvironment, SshClient } from "./ssh-client.ts";

/**
 * Configures {@link createSshBackend}.
 *
 * @example
 * ```ts
 * import type { SshBackendOptions } from "@haft/sandbox";
 * const options: SshBackendOptions = { host: "build-7", user: "agent", root: "/home/agent/shop", remoteNode: false };
 * ```
 */
export interface SshBackendOptions extends SshTarget {
  /** Sets the workspace: the absolute path of an existing folder there. */
  root: string;
  /** Locates Node 20 or later. Default: `node` on the PATH of a login, else a shell runner (supports less). `false` selects the latter. */
  remoteNode?: string | false;
}

const ID = "ssh";
const OPENED = "the workspace over ssh";
const INSTALL_CLIENT = "Install it (apt install openssh-client), or set its path as `ssh`.";

/**
 * Creates a backend for workspaces on another machine, through the OpenSSH client, with one connection for each.
 *
 * The only isolation is that machine's isolation of its user: give the connection a separate user, container or machine. So the backend
 * only accepts these specifications:
 *
 * - `network: "full"`
 * - a workspace `rw` (the remote `root`; the folder of the specification has no effect) or `none` (a private folder that ends with the
 *   connection)
 * - no other mounts, image or user
 * - limits, of which only `fileMb` is enforced
 *
 * Host keys must be known; the client never asks for passwords. If the connection ends in a way that the remote side can notice, the runner
 * and its processes end.
 *
 * @throws HaftError `INVALID_OPTIONS`
 *
 * @example
 * ```ts
 * import { createSshBackend } from "@haft/sandbox";
 * const backend = createSshBackend({ host: "build-7", root: "/home/agent/shop", options: { ProxyJump: "gate" } });
 * const { available, startMs } = await backend.probe(AbortSignal.timeout(10_000));
 * ```
 */
export function createSshBackend(options: SshBackendOptions): SandboxBackend {
  requireKnownOptions<SshBackendOptions>("createSshBackend", options, {
    host: true,
    user: true,
    port: true,
    identityFile: true,
    options: true,
    ssh: true,
    root: true,
    remoteNode: true,
  });
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
          isolation: "not by Haft: only that of the remote user",
          network: "the remote machine's",
          limits: "only the size of files",
        },
        startMs,
      };
    } catch (thrown) {
      if (!HaftError.is(thrown) || signal?.aborted === true) throw thrown;
      const { message, fix, details } = thrown;
      return withoutUndefined({
        backend: ID,
        available: false,
        reason: message,
        fix,
        details: { host: this.#options.host, code: thrown.code, cause: textOf(details?.["cause"]) },
      });
    }
  }

  async open(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection> {
    if (signal?.aborted === true) throw abortedError(ID, OPENED);
    checkSupported(spec);
    const { BOOTSTRAP, runnerProgram, sendProgram } = await import("@haft/workspace/internal/wire");
    const { root, remoteNode: node } = this.#options;
    const shell = readShellProgram();
    const shellBytes = Buffer.byteLength(shell);
    const command = remoteCommand({ root, node, shellBytes, bootstrap: BOOTSTRAP }, spec);
    const { source } = await runnerProgram();
    const ssh = this.#start(command);
    const { greeting, stream } = await this.#greeted(ssh, signal);
    if (greeting.kind === "node") sendProgram(stream, source);
    else stream.write(shell);
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
    const location = { path: this.#options.ssh, option: 'the option "ssh"' };
    const program = findBackendProgram("ssh", (_code, why, fix) => noClient(why, fix), location);
    if (program === undefined) throw noClient(formatMissingProgram("ssh", [], location));
    const child = withCodedErrors(() =>
      startProgram(program, [...this.#arguments, command], {
        // Signals of the host's terminal must not reach it.
        detached: true,
        env: clientEnvironment(),
        stdio: ["pipe", "pipe", "pipe"],
      }),
    );
    return new SshClient(child as ChildProcessWithoutNullStreams);
  }

  async #greeted(ssh: SshClient, signal?: AbortSignal): Promise<{ greeting: Greeting; stream: ChildStream }> {
    try {
      const waiting = waitFor(ssh.greeting(), START_MS, signal, () => ssh.kill());
      const { answer: greeting, tooLate } = await waiting;
      if (signal?.aborted === true) throw abortedError(ID, OPENED);
      if (tooLate) {
        const why = `it sent nothing for ${START_MS / 1000} seconds`;
        throw sshError("SANDBOX_START_FAILED", why, "Check the login shell of the user there.");
      }
      if (greeting === undefined) throw noGreetingError(ssh, this.#options.host);
      const serves = greeting.kind === "node" || greeting.kind === "shell";
      // The error message comes on another stream.
      if (!serves) await ssh.exit;
      checkGreeting(greeting, ssh, this.#options.remoteNode);
      return { greeting, stream: new ChildStream(ssh.child) };
    } catch (thrown) {
      ssh.kill();
      ssh.child.stdin.destroy();
      ssh.child.stdout.destroy();
      throw thrown;
    }
  }

  #connect(
    spec: SandboxSpec,
    { kind, root }: Greeting,
    ssh: SshClient,
    stream: ChildStream,
  ): SandboxConnection {
    let closing = false;
    const ref = sandboxRef(ID, randomBytes(8).toString("hex"), spec);
    const ended = ssh.exit.then((): SandboxEnd => {
      if (closing) stream.destroy();
      else stream.finish();
      this.#open.delete(ref.id);
      const exitCode = ssh.exitCode === undefined ? {} : { exitCode: ssh.exitCode };
      if (closing) return { why: "it was closed", ...exitCode };
      const lastError = ssh.stderr.trim().split("\n").at(-1) ?? "";
      return { why: `the connection ended${lastError === "" ? "" : `: ${lastError}`}`, ...exitCode };
    });
    const close = async (): Promise<void> => {
      closing = true;
      await stream.endWithin(END_MS, ended, () => ssh.kill());
    };
    stream.explainEnd(async () => (closing ? undefined : (await ended).why));
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

const PROBE = probeSpec(
  { memoryMb: 0, tasks: 0, fileMb: 1024, tmpMb: 0 },
  { workspace: "rw", network: "full" },
);

function noClient(why: string, fix = INSTALL_CLIENT): HaftError {
  return sshError("SANDBOX_UNAVAILABLE", `the OpenSSH client cannot be started: ${why}`, fix, {
    details: { cause: "no-client" },
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

function checkRemote({ root, remoteNode }: { root: string; remoteNode?: string | false }): void {
  if (!root.startsWith("/") || CONTROL.test(root)) {
    const why = `the root ${JSON.stringify(root)} is not an absolute path`;
    throw invalidSshOptionError(why, "Use an absolute path of the remote machine.");
  }
  if (typeof remoteNode !== "string") return;
  if (remoteNode === "" || remoteNode.startsWith("-") || CONTROL.test(remoteNode)) {
    const why = `${JSON.stringify(remoteNode)} is not a program`;
    throw invalidSshOptionError(why, "Use the name or path of Node there.");
  }
}

function checkSupported(spec: SandboxSpec): void {
  const refuse = (why: string, fix: string): never => {
    throw sshError("SANDBOX_UNSUPPORTED", why, fix);
  };
  if (spec.network !== "full") {
    refuse(
      "the other machine has a network that ssh cannot block",
      'Use `network: "full"`, or a backend that isolates.',
    );
  }
  if (spec.workspace === "ro") {
    refuse(
      "commands on the other machine have the write access of its user",
      'Use the workspace "rw" or "none", or a user there with read access only.',
    );
  }
  if (spec.mounts.some(({ name }) => name !== "")) {
    refuse(
      "folders of this machine are not available there",
      "Remove other mounts, or copy the files to the other machine.",
    );
  }
  if (spec.image !== undefined) refuse("images are not supported", "Remove the image.");
  if (spec.user !== undefined) {
    refuse("commands run as the user of the connection", "Pass the `user` to createSshBackend instead.");
  }
  if (spec.lifetime !== "tethered") {
    refuse("its processes end with the connection", 'Use the lifetime "tethered".');
  }
  if (spec.setup?.includes("\0") === true)
    refuse("the setup script contains a NUL character", "Take it out.");
}
