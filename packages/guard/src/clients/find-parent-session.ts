import { attempt } from "@haft/system";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { type AncestorProcess, iterateAncestors, type FindProcess } from "./client-process.ts";

/** Also in the command line of bubblewrap. */
const RUNNER = /(?:^|[/\\])runner-main\.[cm]?[jt]s$|^haft[- ]runner\b|^cmdkeeper\b/;
const MARK = /(?:^|\0)HAFT_(?:PROCESS|RUNNER)=[^\0]/;
/** Each command has this open file, `RUN/RUN-COUNT`, already removed. */
const MARKER_FD = 9;
const MARKER = /\/([0-9a-f]{8})\/\1-\d+(?: \(deleted\))?$/;
const GROUP = /\/haft-[0-9a-f]{8}(?:\/|$)/m;

/**
 * Returns why a process counts as started by a command of a session, as the end of a sentence with "since". Commands can change variables,
 * so it also examines ancestors, their control group and open files, and the first process of the PID namespace.
 *
 * @param pid Default: this process.
 * @example
 * ```ts
 * import { findParentSession, findProcess } from "@haft/guard/internal/clients";
 * const reason = findParentSession(findProcess);
 * if (reason !== undefined) console.error(`A session cannot change the guard, since ${reason}.`);
 * ```
 */
export function findParentSession(findProcess: FindProcess, pid = process.pid): string | undefined {
  if (pid === process.pid && (process.env["HAFT_PROCESS"] ?? "") !== "") return "HAFT_PROCESS is set";
  const isLinux = process.platform === "linux";
  // A command can hide it from its descendants.
  if (isLinux && !existsSync(`/proc/${pid}/stat`)) return "/proc does not show which processes started it";
  const chain = iterateAncestors(pid, findProcess);
  for (const above of [...chain, ...(isLinux ? [findProcess(1)] : [])]) {
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
