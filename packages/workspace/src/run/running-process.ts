import type { ProcessInfo, ProcessOutput } from "@haft/core";
import type { OutputStream, Fence } from "@haft/core/internal";
import { RunnerError, type ProcessIdentity, findProcess } from "@haft/system/processes";
import { MAX_TIMER_MS, MAX_QUEUED_BYTES } from "../defaults.ts";
import type { Child, ChildListener } from "./children/child.ts";
import type { CommandGroup } from "./groups/command-groups.ts";
import type { MemoryLimit } from "./memory-limit.ts";
import type { OutputLog } from "./output/output-log.ts";
import { endTree, killTree, sendSignal, signalTree, type Tree } from "./process-tree.ts";

export interface ProcessFacts {
  id: string;
  callerId: string;
  command: string;
  cwd: string;
  pty: boolean;
  input: boolean;
  killGraceMs: number;
  timeoutMs: number | undefined;
  folder: string;
}

export interface ProcessContext {
  onEnded: () => void;
  memory: MemoryLimit | undefined;
  countUnmarked: (() => number) | undefined;
}

/** Pending output of an ended process arrives within this time, unless more follows. */
const QUIET_MS = 15;
const LONGEST_DRAIN_MS = 150;
const TAKEN_AT_ONCE_MS = 20;
const SHELL_SAW_KILL = 128 + 9;
const EOT = Uint8Array.of(4);

export class RunningProcess implements ChildListener {
  readonly facts: ProcessFacts;
  readonly log: OutputLog;
  readonly #around: ProcessContext;
  #group: CommandGroup | undefined;
  #ending: ProcessInfo["ending"];
  #unmarked: number | undefined;
  readonly #killsBefore: number;
  #outOfMemory = false;
  #child!: Child;
  #leader!: ProcessIdentity;
  #tree!: Tree;
  #startedAt = Date.now();
  #endedAt: number | undefined;
  #ended = false;
  #drained = false;
  #settled = false;
  #outputEnded = false;
  #released = false;
  #code: number | undefined;
  #signal: string | undefined;
  #cause: "timeout" | "killed" | undefined;
  #inputOpen: boolean;
  #timeout: NodeJS.Timeout | undefined;
  #drain: NodeJS.Timeout | undefined;
  #drainUntil = 0;
  #killing: Promise<void> | undefined;
  readonly #waiting = new Waiting();

  constructor(facts: ProcessFacts, log: OutputLog, around: ProcessContext) {
    this.facts = facts;
    this.log = log;
    this.#around = around;
    this.#inputOpen = facts.input;
    // Before its start, since it may be killed before it is attached.
    this.#killsBefore = around.memory?.kills ?? 0;
  }

  get leader(): ProcessIdentity {
    return this.#leader;
  }

  attach(child: Child, group: CommandGroup | undefined): void {
    this.#child = child;
    this.#group = group;
    const { id, folder, timeoutMs } = this.facts;
    this.#leader = { pid: child.pid, started: findProcess(child.pid)?.started ?? 0 };
    const controlGroups = group === undefined ? [] : [group];
    this.#tree = { leaders: [this.#leader], owns: (mark) => mark === id, folder, controlGroups };
    if (timeoutMs !== undefined && timeoutMs <= MAX_TIMER_MS && !this.#ended) {
      this.#timeout = setTimeout(() => void this.end("timeout", this.facts.killGraceMs), timeoutMs);
    }
  }

  get running(): boolean {
    return !this.#settled;
  }

  info(): ProcessInfo {
    const { id, callerId, command, cwd, pty } = this.facts;
    return {
      id,
      callerId,
      pid: this.#child.pid,
      command,
      cwd,
      startedAt: this.#startedAt,
      state: this.#settled ? "exited" : "running",
      ...(this.#settled ? { endedAt: this.#endedAt!, reason: this.#reason() } : {}),
      ...(this.#settled && this.#code !== undefined ? { exitCode: this.#code } : {}),
      ...(this.#settled && this.#signal !== undefined ? { signal: this.#signal } : {}),
      ...(this.#settled && this.#outOfMemory ? { outOfMemory: { limitMb: this.#around.memory!.mb } } : {}),
      ...(this.#settled && this.#ending !== undefined ? { ending: this.#ending } : {}),
      ...(this.#settled && this.#unmarked !== undefined ? { unmarked: this.#unmarked } : {}),
      pty,
      stdin: this.#inputOpen ? "open" : "closed",
      output: this.log.totals(),
    };
  }

  async read(from: number, max: number, waitMs: number, signal?: AbortSignal): Promise<ProcessOutput> {
    await this.#waiting.until(() => this.log.total > from || this.#settled, waitMs, signal);
    return {
      ...this.log.read(from, max),
      total: this.log.total,
      state: this.#settled ? "exited" : "running",
    };
  }

  async wait(timeoutMs: number, signal?: AbortSignal): Promise<ProcessInfo> {
    await this.#waiting.until(() => this.#settled, timeoutMs, signal);
    return this.info();
  }

  async write(bytes: Uint8Array, waitMs: number, fence?: Fence): Promise<{ queued: number }> {
    const fits = (): boolean =>
      this.#child.queued === 0 || this.#child.queued + bytes.length <= MAX_QUEUED_BYTES;
    await this.#waiting.until(() => !this.#inputOpen || fits(), waitMs);
    if (!this.#inputOpen) throw new RunnerError("STDIN_CLOSED", "its standard input is closed");
    if (!fits()) {
      throw new RunnerError("STDIN_FULL", `it has not read the ${this.#child.queued} bytes that wait for it`);
    }
    fence?.check();
    const failed = await new Promise<Error | undefined>((resolve) => {
      const queued = setTimeout(() => resolve(undefined), TAKEN_AT_ONCE_MS);
      this.#child.write(bytes, (error) => {
        clearTimeout(queued);
        if (error !== undefined) this.#inputOpen = false;
        this.#waiting.wake();
        resolve(error);
      });
    });
    if (failed !== undefined) throw new RunnerError("STDIN_CLOSED", "it closed its standard input");
    return { queued: this.#child.queued };
  }

  closeInput(): void {
    if (!this.#inputOpen) return;
    if (this.facts.pty) {
      this.#child.write(EOT, () => {});
      return;
    }
    this.#inputOpen = false;
    this.#child.closeInput();
  }

  resize(cols: number, rows: number): void {
    if (!this.facts.pty) throw new RunnerError("not-a-terminal", "it does not run on a terminal");
    if (!this.#ended) this.#child.resize({ cols, rows });
  }

  signal(signal: string, tree: boolean): number {
    if (tree) return signalTree(this.#tree, signal);
    if (this.#ended) return 0;
    sendSignal(this.#child.pid, signal);
    return 1;
  }

  endsFor(cause: "timeout" | "killed"): void {
    if (!this.#ended) this.#cause ??= cause;
    clearTimeout(this.#timeout);
  }

  /** Sends TERM, waits, sends KILL. A later call can only shorten the wait. */
  async end(cause: "timeout" | "killed", graceMs: number): Promise<void> {
    this.endsFor(cause);
    if (this.#killing !== undefined && graceMs === 0) await killTree(this.#tree);
    this.#killing ??= this.#endTree(graceMs).finally(() => {
      this.#killing = undefined;
      if (this.#drained) this.#settle();
    });
    await this.#killing;
    await this.#waiting.until(() => this.#settled, 2 * LONGEST_DRAIN_MS);
  }

  async #endTree(graceMs: number): Promise<void> {
    const left = await endTree(this.#tree, graceMs);
    this.#ending = { by: this.#group?.isExclusive === true ? "control-group" : "marks", left };
    this.#unmarked = this.#around.countUnmarked?.();
  }

  release(): void {
    this.#released = true;
    this.log.close(true);
  }

  output(stream: OutputStream, bytes: Uint8Array): void {
    // Without a reader, remaining children would die of SIGPIPE.
    if (this.#released) return;
    this.log.append(stream, bytes);
    this.#waiting.wake();
    if (this.#ended && !this.#settled) this.#drainAgain();
  }

  outputEnded(): void {
    this.#outputEnded = true;
    if (this.#ended) this.#settle();
  }

  exit(code: number | undefined, signal: string | undefined): void {
    this.#ended = true;
    this.#endedAt = Date.now();
    this.#code = code;
    this.#signal = signal;
    // A shell reports the signal of its child.
    const killed = signal === "SIGKILL" || code === SHELL_SAW_KILL;
    this.#outOfMemory =
      killed && this.#cause === undefined && (this.#around.memory?.kills ?? 0) > this.#killsBefore;
    this.#inputOpen = false;
    clearTimeout(this.#timeout);
    this.#drainUntil = performance.now() + LONGEST_DRAIN_MS;
    if (this.#outputEnded) this.#settle();
    else this.#drainAgain();
  }

  #drainAgain(): void {
    clearTimeout(this.#drain);
    const left = this.#drainUntil - performance.now();
    if (left > 0) this.#drain = setTimeout(() => this.#settleIfQuiet(), Math.min(left, QUIET_MS));
    else this.#settleIfQuiet();
  }

  #settleIfQuiet(): void {
    const before = this.log.total;
    // Runs after the next poll of all pipes, in any phase of the event loop.
    setImmediate(() => setImmediate(() => this.#settleIfUnchanged(before)));
  }

  #settleIfUnchanged(before: number): void {
    if (this.log.total === before || performance.now() > this.#drainUntil) this.#settle();
  }

  #settle(): void {
    clearTimeout(this.#drain);
    this.#drained = true;
    // During a kill, the end of the whole tree counts.
    if (!this.#settled && this.#killing === undefined) {
      this.#settled = true;
      this.#waiting.wake();
    }
    if (this.#outputEnded) this.#around.onEnded();
  }

  #reason(): NonNullable<ProcessInfo["reason"]> {
    if (this.#cause !== undefined) return this.#cause;
    return this.#signal === undefined ? "exit" : "signal";
  }
}

class Waiting {
  readonly #waiting = new Set<() => void>();

  wake(): void {
    for (const check of this.#waiting) check();
  }

  async until(done: () => boolean, withinMs: number, signal?: AbortSignal): Promise<void> {
    if (done() || withinMs <= 0 || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const check = (): void => {
        if (done()) finish();
      };
      const timer = withinMs <= MAX_TIMER_MS ? setTimeout(finish, withinMs) : undefined;
      this.#waiting.add(check);
      signal?.addEventListener("abort", finish);
    });
  }
}
