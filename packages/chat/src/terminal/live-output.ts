import { printable, type Screen } from "./screen.ts";

/** Lines of what a call prints that are shown while it runs; the ledger and the model have more. */
const MOST_LINES = 60;

/** Where the lines of a running call appear, indented below it. */
export class LiveOutput {
  readonly #screen: Screen;
  #lines = 0;
  #isInLine = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  get hasShown(): boolean {
    return this.#lines > 0;
  }

  write(text: string): void {
    for (const part of printable(text).split(/(?<=\n)/)) {
      if (!this.#isInLine && ++this.#lines > MOST_LINES) {
        if (this.#lines === MOST_LINES + 1) this.#screen.line(this.#screen.style("dim", "    …"));
        continue;
      }
      if (this.#lines > MOST_LINES) continue;
      const lead = this.#isInLine ? "" : "    ";
      this.#isInLine = !part.endsWith("\n");
      this.#screen.write(
        `${lead}${this.#screen.style("dim", part.replace(/\n$/, ""))}${this.#isInLine ? "" : "\n"}`,
      );
    }
  }

  /** Whatever comes next stands on a line of its own. */
  end(): void {
    if (this.#isInLine) this.#screen.write("\n");
    this.#isInLine = false;
  }
}
