import { attempt } from "@haft/system";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { type AncestorProcess, iterateAncestors, type FindProcess } from "./client-process.ts";

/** The program that starts the commands of a session, as its words name it; of bubblewrap around it, too. */
const RUNNER = /(?:^|[/\\])runner-main\.[cm]?[jt]s$|^haft[- ]runner\b|^cmdkeeper\b/;
/** Variables by which commands, and the program that starts them, are marked. */
const MARK = /(?:^|\0)HAFT_(?:PROCESS|RUNNER)=[^\0]/;
/** The open file by which a command is marked: `RUN/RUN-COUNT`, removed while it is open. */
const MARKER_FD = 9;
const MARKER = /\/([0-9a-f]{8})\/\1-\d+(?: \(deleted\))?$/;
/** The control group of a session, in the path of one of its processes. */
const GROUP = /\/haft-[0-9a-f]{8}(?:\/|$)/m;

/**
 * Returns why a process counts as started by a command of a session of Haft, as the end of a sentence with "since". Returns `undefined` when
 * it does not. Commands can change variables, so the call also examines the processes above, their control group and open files. It
 * examines the first process of the PID namespace as well: that is the parent of everything that was detached there.
 *
 * @param look Finds a process: `findProcess`.
 * @param pid Default: this process.
 * @example
 * ```ts
 * import { findParentSession, findProcess } from "@haft/guard/internal/clients";
 * const reason = findParentSession(findProcess);
 * if (reason !== undefined) console.error(`A session cannot change the guard, since ${reason}.`);
 * ```
 */
export function findParentSession(look: FindProcess, pid = process.pid): string | undefined {
  if (pid === process.pid && (process.env["HAFT_PROCESS"] ?? "") !== "") return "HAFT_PROCESS is set";
  const isLinux = process.platform === "linux";
  // A command can hide it from what it starts.
  if (isLinux && !existsSync(`/proc/${pid}/stat`)) return "/proc does not show which processes started it";
  const chain = iterateAncestors(pid, look);
  for (const above of [...chain, ...(isLinux ? [look(1)] : [])]) {
    if (above === undefined) continue;
    const why = markOf(above);
    if (why !== undefined) return why;
  }
  return undefined;
}

function markOf({ pid, words }: AncestorProcess): string | undefined {
  if (words.some((word) => RUNNER.test(word))) return `process ${pid} above it starts commands of sessions`;
  if (MARK.test(readText(`/proc/${pid}/environ`)))
    return `process ${pid} has the variables of such a command`;
  if (GROUP.test(readText(`/proc/${pid}/cgroup`)))
    return `process ${pid} is in the control group of a session`;
  if (MARKER.test(attempt(() => readlinkSync(`/proc/${pid}/fd/${MARKER_FD}`)) ?? ""))
    return `process ${pid} has the open file of such a command`;
  return undefined;
}

function readText(path: string): string {
  return attempt(() => readFileSync(path, "latin1")) ?? "";
}
