import { escapeInvisible } from "@haft/utils";
import { styleText } from "node:util";
import { formatElapsed } from "../approvals/times.ts";

const FIRST_MS = 1_000;
const EVERY_MS = 1_000;
/** In characters. */
const LONGEST = 500;

const CLEAR = "\r\u001b[K";
/** The terminal cuts long lines, including wide characters. */
const CUT = "\u001b[?7l";
const WRAP = "\u001b[?7h";

export type StatusTerminal = Pick<NodeJS.WriteStream, "write">;

export class StatusLine {
  readonly #terminal: StatusTerminal;
  readonly #name: string;
  #since: number | undefined;
  #lastOutput = "";
  #isShown = false;
  #isTaken = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(terminal: StatusTerminal, name: string) {
    this.#terminal = terminal;
    this.#name = escapeInvisible(name);
  }

  begin(): void {
    this.#since = Date.now();
    this.#timer ??= setInterval(() => this.#draw(), EVERY_MS);
    this.#timer.unref();
  }

  setText(text: string): void {
    const line = text.trimEnd().split("\n").at(-1) ?? "";
    this.#lastOutput = escapeInvisible(line.slice(0, LONGEST));
    this.#draw();
  }

  writeAbove(text: string, write: (text: string) => void): void {
    this.#clear();
    write(text);
    this.#isTaken = !text.endsWith("\n");
    this.#draw();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#since = undefined;
    this.#clear();
  }

  #draw(): void {
    if (this.#since === undefined || this.#isTaken) return;
    const ms = Date.now() - this.#since;
    if (ms < FIRST_MS) return;
    const text = [this.#name, formatElapsed(ms), this.#lastOutput].filter((part) => part !== "").join(" · ");
    this.#terminal.write(`${CLEAR}${CUT}${styleText("dim", text, { validateStream: false })}${WRAP}`);
    this.#isShown = true;
  }

  #clear(): void {
    if (!this.#isShown) return;
    this.#terminal.write(CLEAR);
    this.#isShown = false;
  }
}
