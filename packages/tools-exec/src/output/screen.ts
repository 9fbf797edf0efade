import type { TerminalSize } from "@haft/plugin-sdk";
import type { Terminal } from "@xterm/headless";

export interface ScreenSnapshot {
  /** The program uses the alternate screen, as editors and pagers do. */
  readonly isFullScreen: boolean;
  /** From top to bottom, without trailing blank rows. Plain text includes the history. */
  readonly rows: readonly ScreenRow[];
  /** Removed rows of history; a minimum if all were. */
  readonly removed: number;
  readonly cursor: { line: number; column: number };
}

export interface ScreenRow {
  readonly text: string;
  readonly isContinued: boolean;
}

const HISTORY = 5_000;

/** Emulates a terminal without drawing it. Loads the emulator on opening. */
export class TerminalScreen {
  readonly #terminal: Terminal;
  #anchor: { marker: { readonly line: number; dispose(): void }; at: number } | undefined;
  #removed = 0;

  static async open({ cols, rows }: TerminalSize): Promise<TerminalScreen> {
    const { default: headless } = await import("@xterm/headless");
    return new TerminalScreen(
      new headless.Terminal({ cols, rows, scrollback: HISTORY, allowProposedApi: true }),
    );
  }

  private constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#dropAnchor();
  }

  get keyModes() {
    const { applicationCursorKeysMode, applicationKeypadMode } = this.#terminal.modes;
    return { applicationCursorKeys: applicationCursorKeysMode, applicationKeypad: applicationKeypadMode };
  }

  get hasBracketedPaste(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  onAnswer(listener: (answer: string) => void): void {
    this.#terminal.onData(listener);
  }

  feed(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve));
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#terminal.resize(cols, rows);
  }

  snapshot(): ScreenSnapshot {
    const { active } = this.#terminal.buffer;
    const isFullScreen = active.type === "alternate";
    if (!isFullScreen) this.#followHistory();
    const rows: ScreenRow[] = [];
    for (let y = 0; y < active.length; y++) {
      const line = active.getLine(y)!;
      const isBroken = active.getLine(y + 1)?.isWrapped === true;
      // A full-screen program draws positions, not lines.
      if (isFullScreen) rows.push({ text: line.translateToString().trimEnd(), isContinued: false });
      else rows.push({ text: line.translateToString(!isBroken), isContinued: line.isWrapped });
    }
    while (rows.at(-1)?.text.trim() === "") rows.pop();
    const cursor = { line: active.cursorY + 1, column: active.cursorX + 1 };
    return { isFullScreen, rows, removed: this.#removed, cursor };
  }

  close(): void {
    this.#terminal.dispose();
  }

  #followHistory(): void {
    if (this.#anchor !== undefined) {
      const { marker, at } = this.#anchor;
      const isRemoved = marker.line < 0;
      this.#removed += isRemoved ? this.#terminal.buffer.normal.length : at - marker.line;
      marker.dispose();
    }
    this.#dropAnchor();
  }

  #dropAnchor(): void {
    const { baseY, cursorY } = this.#terminal.buffer.normal;
    const marker = this.#terminal.registerMarker(0);
    this.#anchor = marker === undefined ? undefined : { marker, at: baseY + cursorY };
  }
}
