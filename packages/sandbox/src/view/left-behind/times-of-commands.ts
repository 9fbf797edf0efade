import { attempt } from "@haft/workspace/internal/system";
import { lstatSync } from "node:fs";

/** The system counts in steps of some milliseconds. */
const STEP_MS = 20;
const MOST = 1000;

/** When commands ran, to tell what they may have made from what others did in between. */
export class TimesOfCommands {
  /** From and to, in milliseconds. */
  #times: [from: number, to: number][] = [];
  #running = false;

  /** @param since when a command began whose end is not known: then all since is its work */
  constructor(since?: number) {
    if (since !== undefined) this.#times.push([since, Infinity]);
  }

  get isRunning(): boolean {
    return this.#running;
  }

  /** When it began. */
  start(): number {
    const now = Date.now() - STEP_MS;
    if (this.#running) return now;
    this.#running = true;
    this.#times.push([now, Infinity]);
    // What was in between the oldest two counts as theirs, too.
    if (this.#times.length > MOST) this.#times.splice(0, 2, [this.#times[0]![0], this.#times[1]![1]]);
    return now;
  }

  /** @param goesOn something that was started still runs */
  end(goesOn: boolean): void {
    const last = this.#times.at(-1);
    if (goesOn || last === undefined || !this.#running) return;
    last[1] = Date.now() + STEP_MS;
    this.#running = false;
  }

  /** Was this made, moved or changed while a command ran? Nobody can set the time that says so. */
  cover(path: string): boolean {
    const changed = attempt(() => lstatSync(path))?.ctimeMs;
    return changed !== undefined && this.#times.some(([from, to]) => from <= changed && changed <= to);
  }
}
