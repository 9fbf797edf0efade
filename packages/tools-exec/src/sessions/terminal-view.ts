import type { Processes, ProcessState, TerminalSize } from "@haft/plugin-sdk";
import { TerminalScreen, type ScreenSnapshot } from "../output/screen.ts";

export const TERMINAL_SIZE: TerminalSize = { cols: 120, rows: 30 };
/** The emulator processes 30 MB per second. Earlier output has scrolled away. */
const MOST_BYTES = 4 * 1024 * 1024;
const PAGE_BYTES = 256 * 1024;
const LONGEST_WAIT_MS = 10 * 60_000;

interface TerminalState {
  screen: TerminalScreen;
  snapshot: ScreenSnapshot;
  offset: number;
  start: number;
  state: ProcessState;
}

export class TerminalView {
  readonly #processes: Processes;
  readonly #processId: string;
  #screen: Promise<TerminalScreen> | undefined;
  #offset = 0;
  #start = 0;
  #queue: Promise<unknown> = Promise.resolve();

  size = TERMINAL_SIZE;

  constructor(processes: Processes, processId: string) {
    this.#processes = processes;
    this.#processId = processId;
  }

  readScreen(): Promise<TerminalState> {
    const looked = this.#queue.then(async () => {
      const screen = await this.#open();
      const state = await this.#catchUp(screen);
      const snapshot = screen.snapshot();
      return { screen, snapshot, offset: this.#offset, start: this.#start, state };
    });
    this.#queue = looked.catch(() => {});
    return looked;
  }

  /** Many programs wait for answers of their terminal. Must begin at the start: queries in old output must not be answered. */
  attend(): void {
    this.#attend().catch(() => {});
  }

  async resize(size: TerminalSize): Promise<void> {
    const { screen } = await this.readScreen();
    this.size = size;
    screen.resize(size);
  }

  close(): void {
    void this.#screen?.then((screen) => screen.close());
    this.#screen = undefined;
  }

  #open(): Promise<TerminalScreen> {
    return (this.#screen ??= TerminalScreen.open(this.size));
  }

  async #attend(): Promise<void> {
    const screen = await this.#open();
    screen.onAnswer((answer) => {
      this.#processes.write(this.#processId, Buffer.from(answer, "latin1")).catch(() => {});
    });
    let state: ProcessState = "running";
    while (state === "running" && this.#screen !== undefined) {
      const options = { max: 1, waitMs: LONGEST_WAIT_MS };
      const read = await this.#processes.read(this.#processId, this.#offset, options);
      state = read.state;
      if (read.total > this.#offset) await this.readScreen();
    }
  }

  async #catchUp(screen: TerminalScreen): Promise<ProcessState> {
    const first = await this.#processes.read(this.#processId, this.#offset, { max: PAGE_BYTES });
    const end = first.total;
    let page = first;
    if (end - this.#offset > MOST_BYTES) {
      this.#start = end - MOST_BYTES;
      page = await this.#processes.read(this.#processId, this.#start, { max: PAGE_BYTES });
    }
    for (;;) {
      if (page.dropped > 0) this.#start = page.next;
      for (const { bytes } of page.chunks) await screen.feed(bytes);
      const isStuck = page.next === this.#offset;
      this.#offset = page.next;
      if (isStuck || page.next >= end) return page.state;
      page = await this.#processes.read(this.#processId, this.#offset, { max: PAGE_BYTES });
    }
  }
}
