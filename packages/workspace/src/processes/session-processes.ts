import type { Processes, ProcessInfo, ProcessOutput, ProcessSpec, TerminalSize, Workspace } from "@haft/core";
import type { Fence } from "@haft/core/internal";
import { RunnerError } from "@haft/system";
import { quote } from "../boundary/parse-path.ts";
import { checkedEnvironment, type EnvironmentOptions } from "../run/environment/environment.ts";
import { guardGit } from "../run/environment/environment.ts";
import { hashEnvironment } from "../run/environment/environment.ts";
import { withoutEditor } from "../run/environment/without-editor.ts";
import { MAX_WHY, processAbortedError, processFailure, toProcessFailure } from "../wire/failures.ts";
import type { RunnerProcesses } from "../wire/protocol.ts";
import { KnownProcesses } from "./known-processes.ts";
import type { ProcessRecords } from "./process-records.ts";

export interface ProcessSource {
  backend(): Promise<RunnerProcesses>;
  existing(): Promise<RunnerProcesses | undefined>;
}

export interface SessionProcessesOptions {
  source: ProcessSource;
  /** If `sandbox`, the loss of the runner is the loss of the sandbox. */
  target: "host" | "sandbox";
  workspace: Pick<Workspace, "fs" | "describe">;
  base: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  environment?: Pick<EnvironmentOptions, "allow" | "set">;
  shell?: string;
  ready?: (() => Promise<void>) | undefined;
  records?: ProcessRecords;
  onStoreFailed?: (thrown: unknown) => void;
}

const STARTING = "start the command";
const LOOKING = "identify the files of the command";
const TERMINAL = "xterm-256color";

export class SessionProcesses implements Processes {
  readonly #options: SessionProcessesOptions;
  readonly #known: KnownProcesses;
  /** Maps the caller of an uncertain start to the reason. */
  readonly #unknown = new Map<string, string>();

  constructor(options: SessionProcessesOptions) {
    this.#options = options;
    this.#known = new KnownProcesses(
      options.records,
      options.target === "sandbox" ? "SANDBOX_LOST" : "RUNNER_LOST",
      (thrown) => options.onStoreFailed?.(thrown),
    );
  }

  /** Called before open calls fail, so that all get the same `why`. */
  loseAll(why: string): void {
    this.#known.loseAll(why.slice(0, MAX_WHY));
  }

  async start(
    callerId: string,
    spec: ProcessSpec,
    options: { waitMs?: number; signal?: AbortSignal; fence?: Fence } = {},
  ): Promise<ProcessInfo> {
    await this.#known.load();
    const past = this.#known.findPastByCaller(callerId);
    if (past !== undefined) return past;
    const cutOff = this.#unknown.get(callerId);
    if (cutOff !== undefined) throw this.#failure(new RunnerError("RUNNER_LOST", cutOff), STARTING);
    const resolved = await this.#resolve(spec);
    try {
      const runner = await this.#options.source.backend();
      if (options.signal?.aborted === true) {
        throw processAbortedError(STARTING, "it was cancelled before it started");
      }
      const ready = this.#options.ready?.();
      ready?.catch(() => {});
      const held = ready === undefined ? options : { ...options, ready };
      const starting = runner.start(callerId, resolved, held).then((info) => {
        this.#known.follow(runner, info);
        return info;
      });
      return await withAbort(starting, options.signal, (id) => runner.kill(id, { graceMs: 0 }));
    } catch (thrown) {
      if (thrown instanceof RunnerError && thrown.code === "RUNNER_LOST") {
        this.#unknown.set(callerId, thrown.message);
      }
      throw this.#failure(thrown, STARTING);
    }
  }

  async identify(
    names: Parameters<Processes["identify"]>[0],
    where: Pick<ProcessSpec, "cwd" | "env">,
  ): ReturnType<Processes["identify"]> {
    const resolved = await this.#where(where);
    try {
      const runner = await this.#options.source.backend();
      const looked = await runner.identify(names, resolved);
      const { env } = resolved;
      const { TMPDIR: _, ...portable } = env;
      return {
        ...looked,
        environment: hashEnvironment(env),
        portableEnvironment: hashEnvironment(portable),
        settings: settingsOf(env),
      };
    } catch (thrown) {
      const lost = thrown instanceof RunnerError && thrown.code === "RUNNER_LOST";
      // A read has no effect, so the receipt is not `unknown`.
      throw this.#failure(lost ? new RunnerError("RUNNER_UNAVAILABLE", thrown.message) : thrown, LOOKING);
    }
  }

  async info(id: string): Promise<ProcessInfo | undefined> {
    await this.#known.load();
    const past = this.#known.findPast(id);
    if (past !== undefined) return past;
    const runner = await this.#options.source.existing();
    try {
      const info = await runner?.info(id);
      return info === undefined ? this.#known.findPast(id) : this.#known.update(info);
    } catch (thrown) {
      const lost = this.#known.findPast(id);
      if (lost === undefined) throw this.#failure(thrown, "ask for the process");
      return lost;
    }
  }

  async list(): Promise<ProcessInfo[]> {
    await this.#known.load();
    const runner = await this.#options.source.existing();
    const present = (await runner?.list().catch(() => [])) ?? [];
    return [...this.#known.listPast(), ...present];
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
    return this.#ask(id, "read its output", (runner) => runner.read(id, from, options), past);
  }

  write(
    id: string,
    bytes: Uint8Array,
    options: { waitMs?: number; fence?: Fence } = {},
  ): Promise<{ queued: number }> {
    const tried = "write to its standard input";
    const past = (): never => {
      throw processFailure("STDIN_CLOSED", tried, "the process is gone");
    };
    return this.#ask(id, tried, (runner) => runner.write(id, bytes, options), past);
  }

  closeStdin(id: string, options: { fence?: Fence } = {}): Promise<void> {
    const tried = "close its standard input";
    return this.#ask(id, tried, (runner) => runner.closeStdin(id, options), nothing);
  }

  signal(
    id: string,
    signal: string,
    options: { tree?: boolean; fence?: Fence } = {},
  ): Promise<{ signalled: number }> {
    const noProcess = (): { signalled: number } => ({ signalled: 0 });
    return this.#ask(id, "signal the process", (runner) => runner.signal(id, signal, options), noProcess);
  }

  kill(id: string, options: { graceMs?: number } = {}): Promise<ProcessInfo> {
    return this.#askInfo(id, "kill the process", (runner) => runner.kill(id, options));
  }

  resize(id: string, size: TerminalSize): Promise<void> {
    return this.#ask(id, "resize its terminal", (runner) => runner.resize(id, size), nothing);
  }

  wait(id: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<ProcessInfo> {
    return this.#askInfo(id, "wait for the process", (runner) => runner.wait(id, options));
  }

  async release(id: string): Promise<void> {
    await this.#ask(id, "forget the process", (runner) => runner.release(id), nothing);
    await this.#known.forget(id);
  }

  #askInfo(
    id: string,
    tried: string,
    present: (runner: RunnerProcesses) => Promise<ProcessInfo>,
  ): Promise<ProcessInfo> {
    const updated = async (runner: RunnerProcesses) => this.#known.update(await present(runner));
    return this.#ask(id, tried, updated, (info) => info);
  }

  async #ask<T>(
    id: string,
    tried: string,
    present: (runner: RunnerProcesses) => Promise<T>,
    past: (info: ProcessInfo) => T,
  ): Promise<T> {
    await this.#known.load();
    const before = this.#known.findPast(id);
    if (before !== undefined) return past(before);
    const runner = await this.#options.source.existing();
    if (runner === undefined)
      throw processFailure("PROCESS_NOT_FOUND", tried, `there is no process ${quote(id)}`);
    try {
      return await present(runner);
    } catch (thrown) {
      const lost = this.#known.findPast(id);
      if (lost !== undefined) return past(lost);
      throw this.#failure(thrown, tried);
    }
  }

  async #resolve(spec: ProcessSpec): Promise<ProcessSpec> {
    const { shell } = this.#options;
    return {
      ...spec,
      ...(shell === undefined || spec.shell !== undefined ? {} : { shell }),
      ...(await this.#where(spec)),
    };
  }

  async #where({ cwd, env = {}, pty }: ProcessSpec): Promise<Required<Pick<ProcessSpec, "cwd" | "env">>> {
    const { environment: { allow = [], set } = {}, workspace, base } = this.#options;
    const variables = checkedEnvironment(env, { allow });
    // A reopened workspace may have other folders.
    const start = await base();
    return {
      cwd: await resolveWorkdir(workspace, cwd),
      env: guardGit({ ...withTerminalOrNot(start, pty, set), ...variables }),
    };
  }

  #failure(thrown: unknown, tried: string): unknown {
    return toProcessFailure(thrown, tried, this.#options.target);
  }
}

function withTerminalOrNot(
  start: Readonly<Record<string, string>>,
  pty: ProcessSpec["pty"],
  set: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  if (pty !== undefined) return { ...start, TERM: TERMINAL };
  return withoutEditor(start, set);
}

function nothing(): void {}

/** Returns variables for git settings and shell expansions such as `~` and `$HOME`. They contain no secrets. */
function settingsOf(env: Readonly<Record<string, string>>): Record<string, string> {
  const names = /^(?:HOME|XDG_[A-Z]+_HOME|GIT_.*|PATH|USER|LOGNAME|LANG|LC_[A-Z]+|TMPDIR|TZ)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.test(name)));
}

/** After the signal, throws and ends a started process. */
async function withAbort(
  starting: Promise<ProcessInfo>,
  signal: AbortSignal | undefined,
  end: (id: string) => Promise<unknown>,
): Promise<ProcessInfo> {
  if (signal === undefined) return starting;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => {
    const why = "it was cancelled during the start, and may have run for a moment";
    reject(processAbortedError(STARTING, why, "unknown"));
    starting.then(({ id }) => end(id)).catch(() => {});
  };
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([promise, starting]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** @throws HaftError `INVALID_PROCESS` */
async function resolveWorkdir(
  workspace: Pick<Workspace, "fs" | "describe">,
  cwd: string | undefined,
): Promise<string> {
  if (cwd === undefined) return workspace.describe().cwd;
  const tried = `run in ${JSON.stringify(cwd.slice(0, 200))}`;
  const details = { cwd };
  const fix = "Name a folder relative to the workspace, without `~`.";
  if (cwd.trim() === "") throw processFailure("INVALID_PROCESS", tried, "it is empty", { details, fix });
  if (cwd.startsWith("~")) {
    throw processFailure("INVALID_PROCESS", tried, "`~` is not expanded", { details, fix });
  }
  const found = await workspace.fs.stat(cwd);
  if (found === undefined)
    throw processFailure("workdir-not-found", tried, "the folder does not exist", { details });
  if (found.type !== "directory") {
    throw processFailure("INVALID_PROCESS", tried, "it is not a folder", { details, fix });
  }
  return workspace.fs.realpath(cwd);
}
