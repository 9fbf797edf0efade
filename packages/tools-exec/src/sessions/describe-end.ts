import type { ProcessInfo } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";

/** `failed`: the command could not run, or was ended early; a nonzero exit code does not count. */
export type CommandStatus = "running" | "completed" | "failed" | "killed";

export type FailureKind =
  | "command-not-found"
  | "not-executable"
  | "signal"
  | "timeout"
  | "killed"
  | "out-of-memory"
  | "lost";

/**
 * Describes the end of a command.
 *
 * @example
 * ```ts
 * import type { CommandEnd } from "@haft/tools-exec";
 * const describe = ({ status, exitCode, exitSignal, timedOut }: CommandEnd) =>
 *   timedOut ? "timed out" : `${status} with ${exitSignal ?? exitCode}`;
 * ```
 */
export interface CommandEnd {
  /** `completed` with any exit code, unless the command could not run or was ended early. */
  status: Exclude<CommandStatus, "running">;
  /** Absent if a signal ended the command. */
  exitCode?: number;
  /** The signal that ended it: `SIGKILL`. */
  exitSignal?: string;
  /** Whether the command exceeded its timeout. */
  timedOut?: true;
  /** The reason for `failed` or `killed`. */
  failureKind?: FailureKind;
  /** Memory limit in MiB, if it was the reason. */
  memoryLimitMb?: number;
  /** Processes that were ended on request; see `ProcessInfo`. */
  ending?: NonNullable<ProcessInfo["ending"]>;
  /** Counts the processes that were not ended with it, because they have no mark of a command; see `ProcessInfo`. */
  unmarked?: number;
}

/** @param isNotFound whether exit code 127 means a missing program */
export function describeEnd(info: ProcessInfo, isNotFound: boolean): CommandEnd {
  const failureKind = failureOf(info, isNotFound);
  return withoutUndefined({
    status: failureKind === undefined ? "completed" : failureKind === "killed" ? "killed" : "failed",
    exitCode: info.exitCode,
    exitSignal: info.signal,
    timedOut: info.reason === "timeout" || undefined,
    failureKind,
    ending: info.ending,
    unmarked: info.unmarked,
    memoryLimitMb: info.outOfMemory?.limitMb,
  });
}

export function endNote(end: CommandEnd, timeoutSeconds: number): string {
  if (end.failureKind === undefined)
    return end.exitCode === 0 ? "" : `(Command exited with code ${end.exitCode})`;
  switch (end.failureKind) {
    case "command-not-found":
      return `Command not found (exit code 127). ${BEFORE}`;
    case "not-executable":
      return `Command cannot be executed (exit code 126). ${BEFORE}`;
    case "timeout":
      return (
        `Command timed out after ${timeoutSeconds} s and was ended${formatEndedProcesses(end)}. ` +
        `${formatLeftProcesses(end)}${CHECK_FIRST} ` +
        "If it needs longer, set timeoutSeconds, or 0 for no limit."
      );
    case "out-of-memory":
      return (
        `Command needed more memory than its sandbox may use (${end.memoryLimitMb} MiB), so it was ended, or a part ` +
        `of it. ${CHECK_FIRST} Reduce its memory, or raise the memory of the sandbox (limits.memoryMb).`
      );
    case "signal":
      return `Command was ended by signal ${end.exitSignal ?? "(unknown)"}. ${CHECK_FIRST}`;
    case "killed":
      return `Command was killed. ${formatLeftProcesses(end)}${CHECK_FIRST}`;
    case "lost":
      return `The runner ended while the command was running, so its end is unknown. ${CHECK_FIRST}`;
  }
}

type Ending = Pick<CommandEnd, "ending" | "unmarked">;

/** Counts only scanned processes. Starts with a comma, or is empty. */
export function formatEndedProcesses({ ending }: Ending): string {
  if (ending !== undefined && ending.left > 0) return "";
  return ending?.by === "control-group"
    ? ", with all processes in its control group"
    : ", with all processes that carry its mark";
}

/** Reports processes that still run or were not found. Ends with a space, or is empty. */
export function formatLeftProcesses({ ending, unmarked }: Ending): string {
  const { by, left = 0 } = ending ?? {};
  const stuck = left === 0 ? "" : `The system did not end ${left} of its processes, which may still run. `;
  if (unmarked === undefined && by === "control-group") return stuck;
  if (unmarked === undefined) return `${stuck}Processes that removed its mark may still run. `;
  if (unmarked === 0) return stuck;
  const what =
    unmarked === 1 ? "1 process of this session carries" : `${unmarked} processes of this session carry`;
  const ends = unmarked === 1 ? "runs; it ends" : "run; they end";
  return `${stuck}${what} no mark of any command and still ${ends} with the session. `;
}

const CHECK_FIRST = "Side effects may have happened: look before you repeat it.";
const BEFORE = "Its earlier commands may have had side effects.";

function failureOf(
  { state, reason, exitCode, outOfMemory }: ProcessInfo,
  isNotFound: boolean,
): FailureKind | undefined {
  if (state === "lost") return "lost";
  if (outOfMemory !== undefined) return "out-of-memory";
  if (reason === "timeout" || reason === "killed" || reason === "signal") return reason;
  if (exitCode === 127 && isNotFound) return "command-not-found";
  return exitCode === 126 ? "not-executable" : undefined;
}
