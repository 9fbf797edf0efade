import { createInterface, type Interface } from "node:readline/promises";
import { styleText } from "node:util";
import type { Terminal } from "../approvals/find-terminal.ts";
import { UsageError } from "../usage.ts";

export class NotAnswered extends Error {}

export interface Question<Answer> {
  text: string;
  /** What an answer may be, a line each. */
  choices?: readonly string[];
  /** What the empty answer stands for. */
  byDefault: string;
  /** @throws UsageError which is shown, and the question is asked again */
  read: (text: string) => Answer;
}

/** Asks questions on a terminal, one after the other. */
export class Questions {
  readonly #terminal: Terminal;
  #lines: Interface | undefined;
  #close = (): void => {};
  #count = 0;
  readonly #ended = new AbortController();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** @throws NotAnswered at Ctrl-C, at Ctrl-D, and where the terminal goes away */
  async ask<Answer>({ text, choices = [], byDefault, read }: Question<Answer>): Promise<Answer> {
    const { output } = this.#terminal;
    const bold = (part: string): string => styleText("bold", part, { stream: output });
    output.write(`\n${bold(`${++this.#count}. ${text}`)}\n${choices.map((line) => `   ${line}\n`).join("")}`);
    for (;;) {
      const answer = (await this.#line(`   [${byDefault === "" ? "none" : byDefault}] > `)).trim();
      try {
        return read(answer === "" ? byDefault : answer);
      } catch (thrown) {
        if (!(thrown instanceof UsageError)) throw thrown;
        output.write(`   ${thrown.message}\n`);
      }
    }
  }

  end(): void {
    this.#lines?.close();
    this.#close();
  }

  async #line(prompt: string): Promise<string> {
    const { signal } = this.#ended;
    try {
      return await this.#opened().question(prompt, { signal });
    } catch {
      throw new NotAnswered("The questions were ended.");
    }
  }

  #opened(): Interface {
    if (this.#lines !== undefined) return this.#lines;
    const { output } = this.#terminal;
    const { input, close } = this.#terminal.open();
    const lines = createInterface({ input, output, terminal: true, historySize: 0 });
    const end = (): void => this.#ended.abort();
    lines.on("SIGINT", end);
    lines.on("close", end);
    this.#close = close;
    this.#lines = lines;
    return lines;
  }
}
