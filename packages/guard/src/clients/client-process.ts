import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** A process, as its descendants find it. */
export interface AncestorProcess {
  pid: number;
  /** Pid of its parent. */
  parent: number;
  /** When it started, in a unit of the system. Pid and start identify the process. */
  started: number;
  /** Its command line. */
  words: readonly string[];
  /** Whether it has ended, and its parent has not noticed yet. */
  zombie: boolean;
}

/** Finds a process by its pid; `undefined` when it does not exist. */
export type FindProcess = (pid: number) => AncestorProcess | undefined;

const SHELL = /^-?(?:(?:ba|da|z|k|a)?sh|fish|busybox)$/;
/** What stands between an agent and its hook: the shell of the line, and what the line begins with. */
const OF_LINE = /^(?:env|timeout|perl)$/;
/** The hook as lines name it. */
const NAMES_HOOK = /guard[-\s]hook/;
/** More processes than a system has, so that no chain is too long to be looked at. */
const MAX = 4_194_304;

/**
 * The agent that started a hook: the first process above it that is no part of the line in its settings. Nothing where that is a
 * shell: then a person tries the line, and goes on to work there.
 *
 * @param pid the parent of the hook
 */
export function findClientProcess(pid: number, look: FindProcess): AncestorProcess | undefined {
  for (const above of iterateAncestors(pid, look)) {
    const [program = "", ...rest] = above.words;
    const name = basename(program);
    const isShell = SHELL.test(name);
    if ((isShell || OF_LINE.test(name)) && NAMES_HOOK.test(rest.join(" "))) continue;
    return isShell ? undefined : above;
  }
  return undefined;
}

/**
 * Iterates over a process and all processes above it, the nearest first.
 *
 * @param look Finds a process: `findProcess`.
 * @example
 * ```ts
 * import { findProcess, iterateAncestors } from "@haft/guard/internal/clients";
 * for (const { pid, words } of iterateAncestors(process.pid, findProcess)) console.log(pid, words[0]);
 * ```
 */
export function* iterateAncestors(pid: number, look: FindProcess): Generator<AncestorProcess> {
  let at = pid;
  for (let count = 0; count < MAX && at > 0; count++) {
    const above = look(at);
    if (above === undefined) return;
    yield above;
    at = above.parent;
  }
}

/** By what Linux says in `/proc`, read here so that a hook loads nothing for it. */
export function findProcessInProc(pid: number): AncestorProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is a name in parentheses and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    const zombie = fields[0] === "Z" || fields[0] === "X";
    return { pid, parent: Number(fields[1]), started: Number(fields[19]), words, zombie };
  } catch {
    return undefined;
  }
}
