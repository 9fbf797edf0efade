import type { Processes, ProcessInfo, ProcessOutput, ProcessSpec, TerminalSize, Workspace } from "@haft/core";
import { HaftError } from "@haft/core";
import { quote } from "../parse-path.ts";
import type { EnvironmentOptions } from "./environment.ts";
import { baseEnvironment, checkedEnvironment } from "./environment.ts";
import type { Backend, HostRunner, HostRunnerOptions, Isolation } from "./host-runner.ts";
import { KnownProcesses } from "./known-processes.ts";
import { processFailure, toProcessFailure } from "./process-failures.ts";
import type { ProcessRecords } from "./process-records.ts";
import { resolveWorkdir } from "./resolve-workdir.ts";
import { RunnerError } from "./runner-error.ts";

export interface HostProcessesOptions extends Omit<HostRunnerOptions, "env" | "onLost"> {
  /** Commands start in its folders. */
  workspace: Pick<Workspace, "fs" | "describe">;
  /** Which variables commands get. */
  environment?: EnvironmentOptions;
  /** Which shell runs scripts, unless the caller names one; `sh` by default. */
  shell?: string;
  /** Remembers processes across restarts of the host. */
  records?: ProcessRecords;
  /** Told when the records cannot be read or written; commands run all the same. */
  onStoreFailed?: (thrown: unknown) => void;
}

/** The processes of one session on this machine. */
export interface HostProcesses extends Processes {
  /** How they are kept apart; `undefined` before the first one. */
  readonly isolation: Isolation | undefined;
  /** The end of the session: TERM, `graceMs` (2,000 by default), KILL, for everything it ever started. */
  close(options?: { graceMs?: number }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const CLOSE_GRACE_MS = 2_000;
const STARTING = "start the command";
const LOOKING = "look at what the command would use";
/** What terminals understand here, whatever the host was started from. */
const TERMINAL = "xterm-256color";

/**
 * Opens the process side of a host workspace, for one session. Nothing is started before the first command; close it
 * with the session. Should the host die first, its processes die with it or, without namespaces, at the next start
 * of a host.
 */
export function createHostProcesses(options: HostProcessesOptions): HostProcesses {
  return new SessionProcesses(options);
}

/** Resolves what a specification leaves open, knows what was lost, and gives failures their codes. */
class SessionProcesses implements HostProcesses {
  readonly #options: HostProcessesOptions;
  readonly #environment: Record<string, string>;
  readonly #known: KnownProcesses;
  /** Ids of callers whose start may or may not have happened. */
  readonly #unknown = new Set<string>();
  #opening: Promise<HostRunner> | undefined;
  #runner: HostRunner | undefined;
  #closed = false;

  constructor(options: HostProcessesOptions) {
    this.#options = options;
    this.#environment = baseEnvironment(options.environment);
    this.#known = new KnownProcesses(options.records, (thrown) => options.onStoreFailed?.(thrown));
  }

  get isolation(): Isolation | undefined {
    return this.#runner?.isolation;
  }

  async start(
    callerId: string,
    spec: ProcessSpec,
    options: { waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<ProcessInfo> {
    await this.#known.load();
    const past = this.#known.pastOfCaller(callerId);
    if (past !== undefined) return past;
    if (this.#unknown.has(callerId)) {
      throw processFailure("RUNNER_LOST", STARTING, "an earlier attempt with this id was cut off");
    }
    const resolved = await this.#resolve(spec);
    try {
      const backend = await (await this.#open()).backend();
      if (options.signal?.aborted === true) {
        throw processFailure("ABORTED", STARTING, "it was cancelled before it started");
      }
      const starting = this.#started(backend, backend.start(callerId, resolved, options));
      return await takenBack(starting, options.signal, (id) => backend.kill(id, { graceMs: 0 }));
    } catch (thrown) {
      const failure = toProcessFailure(thrown, STARTING);
      if (HaftError.is(failure) && failure.code === "RUNNER_LOST") this.#unknown.add(callerId);
      throw failure;
    }
  }

  async identify(
    names: readonly { name: string; hash?: boolean }[],
    where: Pick<ProcessSpec, "cwd" | "env">,
  ): ReturnType<Processes["identify"]> {
    const resolved = await this.#where(where);
    try {
      const backend = await (await this.#open()).backend();
      return await backend.identify(names, resolved);
    } catch (thrown) {
      const lost = thrown instanceof RunnerError && thrown.code === "RUNNER_LOST";
      // Looking does nothing, so nothing about it is unknown.
      throw lost
        ? processFailure("RUNNER_UNAVAILABLE", LOOKING, thrown.message)
        : toProcessFailure(thrown, LOOKING);
    }
  }

  async info(id: string): Promise<ProcessInfo | undefined> {
    await this.#known.load();
    const past = this.#known.past(id);
    if (past !== undefined) return past;
    const backend = await this.#runner?.existing();
    return backend?.info(id).catch((thrown: unknown) => {
      const lost = this.#known.past(id);
      if (lost === undefined) throw toProcessFailure(thrown, "ask for the process");
      return lost;
    });
  }

  async list(): Promise<ProcessInfo[]> {
    await this.#known.load();
    const backend = await this.#runner?.existing();
    // A runner that is lost meanwhile has made its processes past ones.
    const present = (await backend?.list().catch(() => [])) ?? [];
    return [...this.#known.allPast(), ...present];
  }

  read(
    id: string,
    from: number,
    options: { max?: number; waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<ProcessOutput> {
    const past = ({ output, state }: ProcessInfo): ProcessOutput => {
      const next = Math.max(from, output.total);
      return { chunks: [], next, dropped: next - from, total: output.total, state };
    };
    return this.#ask(id, "read its output", (backend) => backend.read(id, from, options), past);
  }

  write(id: string, bytes: Uint8Array, options: { waitMs?: number } = {}): Promise<{ queued: number }> {
    const tried = "write to its standard input";
    return this.#ask(
      id,
      tried,
      (backend) => backend.write(id, bytes, options),
      () => {
        throw processFailure("STDIN_CLOSED", tried, "the process is gone");
      },
    );
  }

  closeStdin(id: string): Promise<void> {
    return this.#ask(
      id,
      "close its standard input",
      (backend) => backend.closeStdin(id),
      () => {},
    );
  }

  signal(id: string, signal: string, options: { tree?: boolean } = {}): Promise<{ signalled: number }> {
    const nobody = (): { signalled: number } => ({ signalled: 0 });
    return this.#ask(id, "signal the process", (backend) => backend.signal(id, signal, options), nobody);
  }

  kill(id: string, options: { graceMs?: number } = {}): Promise<ProcessInfo> {
    return this.#ask(
      id,
      "kill the process",
      (backend) => backend.kill(id, options),
      (info) => info,
    );
  }

  resize(id: string, size: TerminalSize): Promise<void> {
    return this.#ask(
      id,
      "resize its terminal",
      (backend) => backend.resize(id, size),
      () => {},
    );
  }

  wait(id: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<ProcessInfo> {
    return this.#ask(
      id,
      "wait for the process",
      (backend) => backend.wait(id, options),
      (info) => info,
    );
  }

  async release(id: string): Promise<void> {
    const nothing = (): void => {};
    await this.#ask(id, "forget the process", (backend) => backend.release(id), nothing);
    await this.#known.forget(id);
  }

  async close({ graceMs = CLOSE_GRACE_MS }: { graceMs?: number } = {}): Promise<void> {
    this.#closed = true;
    await (await this.#opening)?.close(graceMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Loaded with the first command: a session that runs none pays nothing for it. */
  async #open(): Promise<HostRunner> {
    if (this.#closed) throw new RunnerError("RUNNER_UNAVAILABLE", "this session has ended");
    this.#opening ??= this.#load();
    return this.#opening;
  }

  async #load(): Promise<HostRunner> {
    const { HostRunner } = await import("./host-runner.ts");
    // The runner finds its own programs where the host does, whatever commands are to find.
    const env = baseEnvironment();
    this.#runner = new HostRunner({ ...this.#options, env, onLost: () => this.#known.loseAll() });
    return this.#runner;
  }

  /** Asks the runner; or answers for it, when the process is one of the past. */
  async #ask<T>(
    id: string,
    tried: string,
    present: (backend: Backend) => Promise<T>,
    past: (info: ProcessInfo) => T,
  ): Promise<T> {
    await this.#known.load();
    const before = this.#known.past(id);
    if (before !== undefined) return past(before);
    const backend = await this.#runner?.existing();
    if (backend === undefined)
      throw processFailure("PROCESS_NOT_FOUND", tried, `there is no process ${quote(id)}`);
    try {
      return await present(backend);
    } catch (thrown) {
      const lost = this.#known.past(id);
      if (lost !== undefined) return past(lost);
      throw toProcessFailure(thrown, tried);
    }
  }

  async #started(backend: Backend, starting: Promise<ProcessInfo>): Promise<ProcessInfo> {
    const info = await starting;
    this.#known.follow(backend, info);
    return info;
  }

  async #resolve(spec: ProcessSpec): Promise<ProcessSpec> {
    const { shell } = this.#options;
    return {
      ...spec,
      ...(shell === undefined || spec.shell !== undefined ? {} : { shell }),
      ...(await this.#where(spec)),
    };
  }

  /** Where a command runs, and all its variables. */
  async #where({ cwd, env = {}, pty }: ProcessSpec): Promise<Required<Pick<ProcessSpec, "cwd" | "env">>> {
    const { environment = {}, workspace } = this.#options;
    const variables = checkedEnvironment(env, environment);
    const terminal = pty === undefined ? {} : { TERM: TERMINAL };
    return {
      cwd: await resolveWorkdir(workspace, cwd),
      env: { ...this.#environment, ...terminal, ...variables },
    };
  }
}

/**
 * What was started; or, as soon as the signal says so, an error, and what was started is ended whenever it turns out
 * to be there. Nobody waits for a runner that does not answer.
 */
async function takenBack(
  starting: Promise<ProcessInfo>,
  signal: AbortSignal | undefined,
  end: (id: string) => Promise<unknown>,
): Promise<ProcessInfo> {
  if (signal === undefined) return starting;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => {
    const why = "it was cancelled while it started, and may have run for a moment";
    reject(processFailure("ABORTED", STARTING, why, { receipt: "unknown" }));
    starting.then(({ id }) => end(id)).catch(() => {});
  };
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([promise, starting]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
