import type { Processes, ProcessInfo } from "@haft/plugin-sdk";
import { type DecoderState, INITIAL_DECODER_STATE } from "../output/decode-output.ts";
import { OutputLines } from "../output/output-lines.ts";
import type { ReadOutput } from "../output/read-window.ts";
import type { ScreenSnapshot } from "../output/screen.ts";
import { type CommandEnd, type CommandStatus, describeEnd } from "./describe-end.ts";
import { isCommandNotFound } from "./is-command-not-found.ts";
import type { ShellName } from "./resolve-shell.ts";
import { TerminalView } from "./terminal-view.ts";

export interface Position {
  readonly offset: number;
  readonly decoder: DecoderState;
  readonly screen: ScreenSnapshot | undefined;
}

export class CommandSession {
  readonly id: string;
  readonly processes: Processes;
  readonly title: string | undefined;
  readonly shell: ShellName | undefined;
  /** False while the starting call waits. */
  isBackgrounded: boolean;
  /** The model needs no notice. */
  endedByModel = false;
  /** Whether input can run code, and why; absent if unknown. */
  input: { takesCode: string | undefined } | undefined;
  emptyPolls = 0;
  readonly read: ReadOutput;
  readonly terminal: TerminalView;
  readonly lines: OutputLines;
  #info: ProcessInfo;
  #acknowledged: Position = { offset: 0, decoder: INITIAL_DECODER_STATE, screen: undefined };
  #delivered: { position: Position; isEnd: boolean; signal: AbortSignal } | undefined;
  #endWasSeen = false;
  #isNotFound: Promise<boolean> | undefined;
  #reportsNotFound = false;
  readonly #polls = new Set<Promise<unknown>>();

  constructor(
    id: string,
    processes: Processes,
    info: ProcessInfo,
    options: { title?: string | undefined; shell?: ShellName | undefined; isBackgrounded: boolean },
  ) {
    this.id = id;
    this.processes = processes;
    this.title = options.title;
    this.shell = options.shell;
    this.isBackgrounded = options.isBackgrounded;
    this.#info = info;
    this.terminal = new TerminalView(processes, info.id);
    this.read = (from, how) => processes.read(info.id, from, how);
    this.lines = new OutputLines(this.read);
  }

  get info(): ProcessInfo {
    return this.#info;
  }

  get hasEnded(): boolean {
    return this.#info.state !== "running";
  }

  /** Complete after {@link resolveEnd}. */
  get end(): CommandEnd {
    return describeEnd(this.#info, this.shell === "sh" || this.#reportsNotFound);
  }

  get status(): CommandStatus {
    return this.hasEnded ? this.end.status : "running";
  }

  async resolveEnd(): Promise<void> {
    if (!this.hasEnded || this.#info.exitCode !== 127 || this.shell === "sh") return;
    this.#isNotFound ??= isCommandNotFound(this.processes, this.#info).catch(() => false);
    this.#reportsNotFound = await this.#isNotFound;
  }

  async refresh(): Promise<ProcessInfo> {
    if (!this.hasEnded) this.update(await this.processes.info(this.#info.id));
    await this.resolveEnd();
    return this.#info;
  }

  update(info: ProcessInfo | undefined): ProcessInfo {
    if (info !== undefined) this.#info = info;
    return this.#info;
  }

  /** A result counts as read with the next call, unless its own call was aborted: then the same output is returned again. */
  acknowledge(): Position {
    if (this.#delivered?.signal.aborted === false) {
      this.#acknowledged = this.#delivered.position;
      this.#endWasSeen ||= this.#delivered.isEnd;
    }
    this.#delivered = undefined;
    return this.#acknowledged;
  }

  deliver(position: Position, signal: AbortSignal, isEnd: boolean): void {
    this.#delivered = { position, signal, isEnd };
  }

  get endWasSeen(): boolean {
    return this.#endWasSeen || (this.#delivered?.isEnd === true && !this.#delivered.signal.aborted);
  }

  /** Waits for running polls, which may report the end. */
  async endWillBeSeen(): Promise<boolean> {
    await Promise.allSettled(this.#polls);
    return this.endWasSeen;
  }

  async whilePolling<T>(work: Promise<T>): Promise<T> {
    this.#polls.add(work);
    try {
      return await work;
    } finally {
      this.#polls.delete(work);
    }
  }
}
