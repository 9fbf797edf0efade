import type { ProcessInfo, ProcessOutput, ProcessSpec, TerminalSize } from "@haft/core";
import type { Fence } from "@haft/core/internal";
import { RunnerError, isAlive, type ProcessEntry, scanProcesses } from "@haft/system/processes";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  DEFAULT_KILL_GRACE_MS,
  DEFAULT_OUTPUT_READ_BYTES,
  DEFAULT_WRITE_WAIT_MS,
  MAX_OUTPUT_READ_BYTES,
} from "../defaults.ts";
import type { IdentifyResult, RunnerProcesses } from "../wire/protocol.ts";
import { identify, identifyName } from "./identify/file-identity.ts";
import { OutputLog } from "./output/output-log.ts";
import { requireFolder, ProcessSpawner, scriptPath, type SpawnerOptions } from "./process-spawner.ts";
import { endTree, listGroupMembers, type Tree } from "./process-tree.ts";
import { type ProcessFacts, RunningProcess } from "./running-process.ts";
import { quoteForShell } from "./shell-program.ts";

export interface ProcessTableOptions extends SpawnerOptions {
  maxRunning: number;
  /** If true, this PID namespace contains only this program, its parents and its children. */
  alone?: boolean;
}

const DEFAULTS = {
  ringBytes: 1024 * 1024,
  spoolBytes: 64 * 1024 * 1024,
};
const LAST_WORDS_MS = 500;
const MAX_RING_BYTES = 64 * 1024 * 1024;
const MAX_COMMAND_SHOWN = 4096;

export class ProcessTable implements RunnerProcesses {
  readonly #options: ProcessTableOptions;
  readonly #spawner: ProcessSpawner;
  readonly #processes = new Map<string, RunningProcess>();
  readonly #byCaller = new Map<string, Promise<RunningProcess>>();
  #starting = 0;
  #closed = false;

  constructor(options: ProcessTableOptions) {
    this.#options = options;
    this.#spawner = new ProcessSpawner(options);
  }

  async start(
    callerId: string,
    spec: ProcessSpec,
    {
      waitMs = 0,
      signal,
      ready,
      fence,
    }: {
      waitMs?: number;
      signal?: AbortSignal;
      ready?: Promise<void> | undefined;
      fence?: Fence | undefined;
    } = {},
  ): Promise<ProcessInfo> {
    let starting = this.#byCaller.get(callerId);
    if (starting === undefined) {
      starting = this.#start(callerId, spec, ready, fence);
      this.#byCaller.set(callerId, starting);
      starting.catch(() => this.#byCaller.delete(callerId));
    }
    return (await starting).wait(waitMs, signal);
  }

  async identify(
    names: Parameters<RunnerProcesses["identify"]>[0],
    where: Pick<ProcessSpec, "cwd" | "env">,
  ): Promise<IdentifyResult> {
    const { env = {} } = where;
    const folder = requireFolder(where);
    const cwd = identify(folder, false);
    if (cwd === undefined) throw new RunnerError("workdir-not-found", `${JSON.stringify(folder)} is gone`);
    const files = names.map((one) => identifyName(one, env["PATH"], folder));
    return { cwd, files };
  }

  async info(id: string): Promise<ProcessInfo | undefined> {
    return this.#processes.get(id)?.info();
  }

  async list(): Promise<ProcessInfo[]> {
    return [...this.#processes.values()].map((one) => one.info());
  }

  async read(
    id: string,
    from: number,
    options: { max?: number; waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<ProcessOutput> {
    const max = Math.min(Math.max(1, options.max ?? DEFAULT_OUTPUT_READ_BYTES), MAX_OUTPUT_READ_BYTES);
    return this.#get(id).read(Math.max(0, from), max, options.waitMs ?? 0, options.signal);
  }

  async write(
    id: string,
    bytes: Uint8Array,
    options: { waitMs?: number; fence?: Fence } = {},
  ): Promise<{ queued: number }> {
    return this.#get(id).write(bytes, options.waitMs ?? DEFAULT_WRITE_WAIT_MS, options.fence);
  }

  async closeStdin(id: string, options: { fence?: Fence } = {}): Promise<void> {
    const one = this.#get(id);
    options.fence?.check();
    one.closeInput();
  }

  async signal(
    id: string,
    signal: string,
    options: { tree?: boolean; fence?: Fence } = {},
  ): Promise<{ signalled: number }> {
    if (!/^SIG[A-Z0-9]+$/.test(signal)) {
      throw new RunnerError("INVALID_PROCESS", `${JSON.stringify(signal)} is not a signal`);
    }
    const one = this.#get(id);
    options.fence?.check();
    return { signalled: one.signal(signal, options.tree ?? true) };
  }

  async kill(id: string, options: { graceMs?: number } = {}): Promise<ProcessInfo> {
    const one = this.#get(id);
    await one.end("killed", options.graceMs ?? one.facts.killGraceMs);
    return one.info();
  }

  async resize(id: string, { cols, rows }: TerminalSize): Promise<void> {
    this.#get(id).resize(cols, rows);
  }

  async wait(id: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<ProcessInfo> {
    return this.#get(id).wait(options.timeoutMs ?? Infinity, options.signal);
  }

  ended(id: string): Promise<ProcessInfo> {
    return this.wait(id);
  }

  async release(id: string): Promise<void> {
    const one = this.#get(id);
    if (one.running) throw new RunnerError("process-running", "it is still running");
    one.release();
    this.#processes.delete(id);
    this.#byCaller.delete(one.facts.callerId);
  }

  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    this.#spawner.close();
    const all = [...this.#processes.values()];
    for (const one of all) one.endsFor("killed");
    await endTree(this.#tree(), graceMs);
    await Promise.all(all.map((one) => one.wait(LAST_WORDS_MS)));
    for (const one of all) one.log.close(false);
  }

  async #start(
    callerId: string,
    spec: ProcessSpec,
    ready: Promise<void> | undefined,
    fence: Fence | undefined,
  ): Promise<RunningProcess> {
    if (this.#closed) throw new RunnerError("RUNNER_UNAVAILABLE", "this session has ended");
    const running = [...this.#processes.values()].filter((one) => one.running).length + this.#starting;
    if (running >= this.#options.maxRunning) {
      throw new RunnerError("TOO_MANY_PROCESSES", `${running} are running already`);
    }
    this.#starting++;
    let id: string | undefined;
    try {
      const { promise, resolve } = Promise.withResolvers<RunningProcess>();
      const child = await this.#spawner.launch(
        spec,
        (given) => {
          id = given;
          const one = this.#describe(given, callerId, spec);
          resolve(one);
          return one;
        },
        ready,
        fence,
      );
      const one = await promise;
      one.attach(child, this.#options.groups?.get(one.facts.id));
      this.#processes.set(one.facts.id, one);
      return one;
    } catch (thrown) {
      if (id !== undefined) this.#removeScript(id);
      throw thrown;
    } finally {
      this.#starting--;
    }
  }

  #tree(): Tree {
    const { runId, folder } = this.#options;
    const leaders = [...this.#processes.values()].map(({ leader }) => leader);
    const controlGroups = this.#options.groups?.all() ?? [];
    return { leaders, owns: (mark) => mark.startsWith(`${runId}-`), folder, controlGroups };
  }

  #describe(id: string, callerId: string, spec: ProcessSpec): RunningProcess {
    const { folder } = this.#options;
    const facts: ProcessFacts = {
      id,
      callerId,
      command: (spec.script ?? quoteForShell(spec.argv ?? [])).slice(0, MAX_COMMAND_SHOWN),
      cwd: spec.cwd ?? "",
      pty: spec.pty !== undefined,
      input: spec.pty !== undefined || spec.stdin === "open",
      killGraceMs: spec.killGraceMs ?? DEFAULT_KILL_GRACE_MS,
      timeoutMs: spec.timeoutMs,
      folder,
    };
    const log = new OutputLog({
      ringBytes: Math.min(spec.output?.ringBytes ?? DEFAULTS.ringBytes, MAX_RING_BYTES),
      spoolBytes: spec.output?.spoolBytes ?? DEFAULTS.spoolBytes,
      spoolPath: join(folder, `${id}.output`),
    });
    const { memory, alone } = this.#options;
    return new RunningProcess(facts, log, {
      onEnded: () => void setImmediate(() => this.#tidyUp(id)),
      memory,
      countUnmarked: alone === true ? () => countUnmarked(this.#tree()) : undefined,
    });
  }

  #tidyUp(id: string): void {
    this.#removeScript(id);
    this.#options.groups?.markEnded(id);
    this.#spawner.commandEnded();
  }

  #removeScript(id: string): void {
    rmSync(scriptPath(this.#options.folder, id), { force: true });
  }

  #get(id: string): RunningProcess {
    const one = this.#processes.get(id);
    if (one === undefined)
      throw new RunnerError("PROCESS_NOT_FOUND", `there is no process ${JSON.stringify(id)}`);
    return one;
  }
}

export function countUnmarked(tree: Tree, all: readonly ProcessEntry[] = scanProcesses()): number {
  const known = new Set(listGroupMembers(tree, all).map(({ pid }) => pid));
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const lineOf = (pid: number): number[] => {
    const line: number[] = [];
    for (let at: number | undefined = pid; at !== undefined && !line.includes(at); at = parents.get(at))
      line.push(at);
    return line;
  };
  const above = new Set(lineOf(process.pid));
  const nobodys = all.filter(
    ({ pid, zombie }) => !zombie && !known.has(pid) && !above.has(pid) && !lineOf(pid).includes(process.pid),
  );
  // Some may have ended since the scan.
  return nobodys.filter((one) => isAlive(one)).length;
}
