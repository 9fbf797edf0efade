import type { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { basename } from "node:path";
import type { Writable } from "node:stream";
import type { Child, ChildListener, Unmarked } from "./child.ts";

/** Where a waiting shell reads its script from. */
export const CONTROL_FD = 3;
/** Shells read scripts byte by byte from a pipe, so long ones are faster in a new one. */
const MAX_SCRIPT_BYTES = 4096;
/** Not while the command that took the last one is being watched for its end. */
const REFILL_AFTER_MS = 15;

/**
 * Reads a script to its end, then runs it as `sh -c` would: same shell, same process, nothing inherited from
 * the waiting. `$0` is the shell's name in both.
 */
export const WAITING_SCRIPT = `haft_script=
while IFS= read -r haft_line <&${CONTROL_FD}; do haft_script=$haft_script$haft_line'
'; done
exec ${CONTROL_FD}<&-
eval "unset haft_script haft_line; $haft_script"`;

/** A shell that has been started for a command nobody has given yet. */
export interface SpareShell {
  id: string;
  child: Child & { process: ChildProcess };
  /** Who hears what the shell tells, from the moment it is taken. */
  adopt(listener: ChildListener): void;
}

export type StartSpare = (launch: Unmarked) => Promise<SpareShell>;

/**
 * Starting a shell takes a millisecond or two, most of it before it looks at its script. So one shell is kept
 * waiting, in every respect the one that would be started for a command like the last: same program, folder and
 * variables. A command that differs in any of them gets a new one; nothing is adapted.
 */
export class SpareShells {
  readonly #start: StartSpare;
  #spare: { key: string; folder: string; shell: SpareShell } | undefined;
  #refill: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(start: StartSpare) {
    this.#start = start;
  }

  /** The waiting shell for exactly this, with the script under way to it; and the next one is prepared. */
  take(launch: Unmarked, script: string): SpareShell | undefined {
    if (launch.input || this.#closed || script.length > MAX_SCRIPT_BYTES) return undefined;
    // Bash would count the lines of what waits, and show it: in messages, `set -x` and its own variables.
    if (basename(launch.argv[0] ?? "") === "bash") return undefined;
    const key = JSON.stringify([launch.argv, launch.cwd, launch.env]);
    const spare = this.#spare;
    this.#refillLater(key, launch);
    if (spare?.key !== key || spare.folder !== identity(launch.cwd) || hasEnded(spare.shell))
      return undefined;
    this.#spare = undefined;
    const control = spare.shell.child.process.stdio[CONTROL_FD] as Writable;
    control.on("error", () => {});
    control.end(`${script}\n`);
    return spare.shell;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#refill);
    discard(this.#spare?.shell);
    this.#spare = undefined;
  }

  #refillLater(key: string, launch: Unmarked): void {
    clearTimeout(this.#refill);
    this.#refill = setTimeout(() => void this.#fill(key, launch), REFILL_AFTER_MS);
  }

  async #fill(key: string, launch: Unmarked): Promise<void> {
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
      // The next command will be told why, when it is started itself.
    }
  }
}

/** It reads the end of its script, has nothing to do, and ends. */
function discard(shell: SpareShell | undefined): void {
  shell?.child.process.stdio[CONTROL_FD]?.destroy();
}

function hasEnded({ child }: SpareShell): boolean {
  return child.process.exitCode !== null || child.process.signalCode !== null;
}

/** A folder that was replaced by another of the same name is another. */
function identity(folder: string): string | undefined {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
