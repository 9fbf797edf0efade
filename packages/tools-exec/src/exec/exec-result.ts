import { type ProcessInfo, text, type ToolResult } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import type { Excerpt } from "../output/render-window.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { type CommandEnd, endNote } from "../sessions/describe-end.ts";

/** Describes a command that ended during the call. */
export interface ExecEndedDetails extends Omit<CommandEnd, "status"> {
  /** `failed`: the command could not run, or was ended early. A nonzero exit code counts as `completed`. */
  status: "completed" | "failed";
  durationMs: number;
  cwd: string;
  /** `bash` or `sh`. Absent if the workspace selects the shell. */
  shell?: string;
  /** The shown output. */
  aggregated: string;
  /** Counts the omitted bytes; `process log` with `sessionId` shows them. */
  omittedBytes?: number;
  /** Counts the omitted bytes that are lost, because the output exceeded the limit. */
  droppedBytes?: number;
  /** Id for `process`, if the output was not shown completely. */
  sessionId?: string;
}

/** Describes a command that continues in the background. */
export interface ExecRunningDetails {
  status: "running";
  /** Id for `process`. */
  sessionId: string;
  /** Process id, as commands of the same workspace see it. */
  pid: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  cwd: string;
  /** `bash` or `sh`. Absent if the workspace selects the shell. */
  shell?: string;
  tail: string;
  /**
   * In partial results of a command without a terminal: complete lines since the previous partial result. A line gives the number of lines
   * that came too fast.
   */
  added?: string;
  /** A port of the command, reachable at `hostPort` of the host's 127.0.0.1 until the command ends. */
  forward?: NonNullable<ProcessInfo["forward"]>;
}

/**
 * The `details` of `exec`, by `status`.
 *
 * @example
 * ```ts
 * import type { ExecToolDetails } from "@haft/tools-exec";
 * const describe = (details: ExecToolDetails) =>
 *   details.status === "running" ? `runs as ${details.sessionId}` : `${details.status}: ${details.exitCode}`;
 * ```
 */
export type ExecToolDetails = ExecEndedDetails | ExecRunningDetails;

/** @param more.isKept whether `process log` can show the omitted output */
export function endedResult(
  session: CommandSession,
  output: Excerpt,
  more: { notices: readonly string[]; timeoutSeconds: number; isKept: boolean },
): ToolResult<ExecEndedDetails> {
  const { info, end } = session;
  const { omitted, dropped } = output;
  const parts = [
    more.notices.join("\n"),
    output.text === "" ? "(no output)" : output.text,
    more.isKept ? formatLogHint(session.id) : "",
    endNote(end, more.timeoutSeconds),
  ];
  return withoutUndefined<ToolResult<ExecEndedDetails>>({
    content: [text(parts.filter((part) => part !== "").join("\n\n"))],
    details: withoutUndefined<ExecEndedDetails>({
      ...end,
      status: end.status === "completed" ? "completed" : "failed",
      durationMs: (info.endedAt ?? Date.now()) - info.startedAt,
      cwd: info.cwd,
      shell: session.shell,
      aggregated: output.text,
      omittedBytes: omitted || undefined,
      sessionId: more.isKept ? session.id : undefined,
      droppedBytes: dropped || undefined,
    }),
    // Effects of an interrupted command may be incomplete.
    receipt: end.failureKind === undefined ? undefined : "unknown",
  });
}

export function runningResult(
  session: CommandSession,
  tail: string,
  notices: readonly string[],
): ToolResult<ExecRunningDetails> {
  const { id: sessionId, info } = session;
  const parts = [
    notices.join("\n"),
    `Command still running (session ${sessionId}, pid ${info.pid}). ` +
      "Use process (list/poll/log/write/kill/clear/remove) for follow-up.",
    forwardedText(info),
    tail === "" ? "" : `Output so far:\n${tail}`,
  ];
  return {
    content: [text(parts.filter((part) => part !== "").join("\n\n"))],
    details: runningDetails(session, tail),
  };
}

export function runningDetails({ id, info, shell }: CommandSession, tail: string): ExecRunningDetails {
  const { pid, startedAt, cwd, forward } = info;
  return withoutUndefined({ status: "running", sessionId: id, pid, startedAt, cwd, shell, tail, forward });
}

function forwardedText({ forward }: ProcessInfo): string {
  if (forward === undefined) return "";
  return `Its port ${forward.port} is reachable at http://127.0.0.1:${forward.hostPort} on the host, until it has ended.`;
}

export function formatLogHint(sessionId: string): string {
  return `[All of it: process ${JSON.stringify({ action: "log", sessionId, offset: 0 })}]`;
}
