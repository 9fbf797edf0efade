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
  /** The shell it was started in; unknown where the workspace chose it, or a host did that is gone. */
  readonly shell: ShellName | undefined;
  /** False while the call that started it still waits for it. */
  isBackgrounded: boolean;
  /** Ended on the model's wish, so nobody has to be told. */
  endedByModel = false;
  /** Whether input can have it do anything, and why; absent until somebody has found out. */
  input: { takesCode: string | undefined } | undefined;
  /** Polls in a row that brought nothing. */
  emptyPolls = 0;
  readonly read: ReadOutput;
  readonly terminal: TerminalView;
  readonly lines: OutputLines;
  #info: ProcessInfo;
  #acknowledged: Position = { offset: 0, decoder: INITIAL_DECODER_STATE, screen: undefined };
  #delivered: { position: Position; isEnd: boolean; signal: AbortSignal } | undefined;
  #endWasSeen = false;
  #isNotFound: Promise<boolean> | undefined;
  #saysNotFound = false;
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

  /** How it ended, as far as is known; once it has, and {@link resolveEnd} has looked. */
  get end(): CommandEnd {
    return describeEnd(this.#info, this.shell === "sh" || this.#saysNotFound);
  }

  get status(): CommandStatus {
    return this.hasEnded ? this.end.status : "running";
  }

  async resolveEnd(): Promise<void> {
    if (!this.hasEnded || this.#info.exitCode !== 127 || this.shell === "sh") return;
    // Where nothing can be read any more, the code is all there is.
    this.#isNotFound ??= isCommandNotFound(this.processes, this.#info).catch(() => false);
    this.#saysNotFound = await this.#isNotFound;
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

  /**
   * Says where the model has read to. What an answer held counts as read when the next question comes, unless the call
   * that would have brought it was aborted: then the same is told again.
   */
  acknowledge(): Position {
    if (this.#delivered?.signal.aborted === false) {
      this.#acknowledged = this.#delivered.position;
      this.#endWasSeen ||= this.#delivered.isEnd;
    }
    this.#delivered = undefined;
    return this.#acknowledged;
  }

  /** An answer that ends here is on its way to the model. */
  deliver(position: Position, signal: AbortSignal, isEnd: boolean): void {
    this.#delivered = { position, signal, isEnd };
  }

  /** Has an answer that was not lost told the model that it ended? */
  get endWasSeen(): boolean {
    return this.#endWasSeen || (this.#delivered?.isEnd === true && !this.#delivered.signal.aborted);
  }

  /** The same, once answers that may be about to say so are under way. */
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
