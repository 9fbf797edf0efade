import { attempt } from "@haft/system";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { nativePath } from "../../mounts/raw-path.ts";
import { tryReadFolder } from "../../mounts/read-folder.ts";

/** Steps of the kernel's change times. */
const STEP_MS = 20;
const MOST = 1000;
const MOST_IN = 2000;

export class CommandTimes {
  #times: [from: number, to: number][] = [];
  #first = Infinity;
  #running = false;

  readonly #slackMs: number;

  /** `since`: start of a command with an unknown end. `slackMs`: see {@link ArtifactSearchOptions.slackMs}. */
  constructor(since?: number, slackMs = 0) {
    this.#slackMs = STEP_MS + slackMs;
    if (since !== undefined) this.#add(since);
  }

  get isRunning(): boolean {
    return this.#running;
  }

  start(from = Date.now()): number {
    const now = from - this.#slackMs;
    if (this.#running) return now;
    this.#running = true;
    this.#add(now);
    // Merges the oldest two; the time between counts as a command's.
    if (this.#times.length > MOST) this.#times.splice(0, 2, [this.#times[0]![0], this.#times[1]![1]]);
    return now;
  }

  end(goesOn: boolean): void {
    const last = this.#times.at(-1);
    if (goesOn || last === undefined || !this.#running) return;
    last[1] = Date.now() + this.#slackMs;
    this.#running = false;
  }

  /** No program can set the change time. */
  cover(path: string): boolean {
    const changed = attempt(() => lstatSync(nativePath(path)))?.ctimeMs;
    return changed !== undefined && this.include(changed);
  }

  include(changed: number): boolean {
    if (changed < this.#first) return false;
    return this.#times.findLast(([from, to]) => from <= changed && changed <= to) !== undefined;
  }

  #add(from: number): void {
    this.#times.push([from, Infinity]);
    this.#first = Math.min(this.#first, from);
  }
}

/** Returns the whole folder if it has too many entries. */
export function findTouchedPaths(path: string, isTouched: (path: string) => boolean): string[] {
  const found: string[] = [];
  const waiting = [path];
  for (let at = 0; at < waiting.length; at++) {
    if (at > MOST_IN) return [path];
    const one = waiting[at]!;
    if (isTouched(one)) found.push(one);
    else waiting.push(...tryReadFolder(one).map(({ name }) => join(one, name)));
  }
  return found;
}
