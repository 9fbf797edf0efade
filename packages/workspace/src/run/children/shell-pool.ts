import type { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import type { Writable } from "node:stream";
import { SCRIPT_FD, type Shell, findWaitingShell } from "../shell-program.ts";
import type { Child, ChildListener, UnmarkedLaunch } from "./child.ts";

/** Shells read pipes byte by byte, so a new shell is faster for long scripts. */
const MAX_RUN = 4096;
/** The limit is lower, because another shell has to start. */
const MAX_BECOME = 2048;
/** Refills after the report of an ended command, before the next call is likely. */
const REFILL_AFTER_END_MS = 2;
const REFILL_AFTER_MS = 15;

/** A waiting bash would count the line that it reads. */
const BECOME = `IFS= read -r _l <&${SCRIPT_FD} && exec "$@"`;

export interface PooledShell {
  id: string;
  child: Child & { process: ChildProcess };
  adopt(listener: ChildListener): void;
}

export type StartPooledShell = (launch: UnmarkedLaunch) => Promise<PooledShell>;

/** Keeps one shell started, for a command with the same program, folder and variables as the last. Saves one or two milliseconds. */
export class ShellPool {
  readonly #start: StartPooledShell;
  #spare: { key: string; folder: string; shell: PooledShell } | undefined;
  #refill: (() => void) | undefined;
  #due: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(start: StartPooledShell) {
    this.#start = start;
  }

  async take(
    launch: UnmarkedLaunch,
    shell: Shell,
    script: string,
    ready?: Promise<void>,
  ): Promise<PooledShell | undefined> {
    const most = shell.named.length === 0 ? MAX_RUN : MAX_BECOME;
    if (shell.reader === undefined || launch.input || script.length > most) return undefined;
    const { fence, ...rest } = launch;
    const waiting = this.#waitingFor(rest, shell);
    if (waiting === undefined) return undefined;
    const key = JSON.stringify([launch.argv, shell.named, launch.cwd, launch.env]);
    if (ready !== undefined) await ready;
    if (this.#closed) return undefined;
    const spare = this.#spare;
    this.#refillLater(key, waiting);
    if (spare?.key !== key || spare.folder !== identity(launch.cwd) || hasEnded(spare.shell))
      return undefined;
    fence?.check();
    this.#spare = undefined;
    const control = spare.shell.child.process.stdio[SCRIPT_FD] as Writable;
    control.on("error", () => {});
    control.end(shell.named.length === 0 ? script : `\n${script}`);
    return spare.shell;
  }

  #waitingFor(launch: UnmarkedLaunch, { words, named, reader = "" }: Shell): UnmarkedLaunch | undefined {
    const argv = [...words, "-c", reader, ...named];
    if (named.length === 0) return { ...launch, argv };
    const program = findWaitingShell(launch.env["PATH"], launch.cwd);
    return program === undefined
      ? undefined
      : { ...launch, program, argv: ["sh", "-c", BECOME, "sh", ...argv] };
  }

  commandEnded(): void {
    if (this.#refill !== undefined) this.#refillIn(REFILL_AFTER_END_MS);
  }

  close(): void {
    this.#closed = true;
    this.#refill = undefined;
    clearTimeout(this.#due);
    discard(this.#spare?.shell);
    this.#spare = undefined;
  }

  #refillLater(key: string, launch: UnmarkedLaunch): void {
    this.#refill = () => {
      this.#refill = undefined;
      void this.#fill(key, launch);
    };
    this.#refillIn(REFILL_AFTER_MS);
  }

  #refillIn(ms: number): void {
    clearTimeout(this.#due);
    this.#due = setTimeout(() => this.#refill?.(), ms);
  }

  async #fill(key: string, launch: UnmarkedLaunch): Promise<void> {
    const folder = identity(launch.cwd);
    if (folder === undefined) return;
    if (this.#spare?.key === key && this.#spare.folder === folder && !hasEnded(this.#spare.shell)) return;
    discard(this.#spare?.shell);
    this.#spare = undefined;
    try {
      const shell = await this.#start(launch);
      if (this.#closed || this.#spare !== undefined) discard(shell);
      else this.#spare = { key, folder, shell };
    } catch {
      // The next command reports the error.
    }
  }
}

function discard(shell: PooledShell | undefined): void {
  shell?.child.process.stdio[SCRIPT_FD]?.destroy();
}

function hasEnded({ child }: PooledShell): boolean {
  return child.process.exitCode !== null || child.process.signalCode !== null;
}

function identity(folder: string): string | undefined {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
