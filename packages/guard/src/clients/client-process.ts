import { readFileSync } from "node:fs";
import { basename } from "node:path";

export interface AncestorProcess {
  pid: number;
  parent: number;
  /** In a unit of the system. Pid and start time identify the process. */
  started: number;
  words: readonly string[];
  /** The process has ended but still has a pid. */
  zombie: boolean;
}

export type FindProcess = (pid: number) => AncestorProcess | undefined;

const SHELL = /^-?(?:(?:ba|da|z|k|a)?sh|fish|busybox)$/;
/** These programs can be between an agent and its hook. */
const OF_LINE = /^(?:env|timeout|perl)$/;
const NAMES_HOOK = /guard[-\s]hook/;
/** More than any system has processes. */
const MAX = 4_194_304;

/** Skips the programs of the hook line. Returns `undefined` for a shell: then a person tries the line. */
export function findClientProcess(pid: number, findProcess: FindProcess): AncestorProcess | undefined {
  for (const above of iterateAncestors(pid, findProcess)) {
    const [program = "", ...rest] = above.words;
    const name = basename(program);
    const isShell = SHELL.test(name);
    if ((isShell || OF_LINE.test(name)) && NAMES_HOOK.test(rest.join(" "))) continue;
    return isShell ? undefined : above;
  }
  return undefined;
}

/**
 * Iterates over a process and its ancestors, the nearest first.
 *
 * @example
 * ```ts
 * import { findProcess, iterateAncestors } from "@haft/guard/internal/clients";
 * for (const { pid, words } of iterateAncestors(process.pid, findProcess)) console.log(pid, words[0]);
 * ```
 */
export function* iterateAncestors(pid: number, findProcess: FindProcess): Generator<AncestorProcess> {
  let at = pid;
  for (let count = 0; count < MAX && at > 0; count++) {
    const above = findProcess(at);
    if (above === undefined) return;
    yield above;
    at = above.parent;
  }
}

/** A hook loads no other module for it. */
export function findProcessInProc(pid: number): AncestorProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field can contain any character.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    const zombie = fields[0] === "Z" || fields[0] === "X";
    return { pid, parent: Number(fields[1]), started: Number(fields[19]), words, zombie };
  } catch {
    return undefined;
  }
}
