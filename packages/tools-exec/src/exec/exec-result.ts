import { type ProcessInfo, text, type ToolResult, withoutUndefined } from "@haft/plugin-sdk";
import type { Excerpt } from "../output/render-window.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { type CommandEnd, endNote } from "../sessions/describe-end.ts";

/** A command that ended while the call waited. */
export interface ExecEndedDetails extends Omit<CommandEnd, "status"> {
  /** `failed`: it could not run, or was cut short. One that reports failure by its exit code has completed. */
  status: "completed" | "failed";
  /** Milliseconds from its start to its end. */
  durationMs: number;
  /** Absolute. */
  cwd: string;
  /** The shell it was for: `bash` or `sh`. Absent where the workspace has its own. */
  shell?: string;
  /** The output as it was shown. */
  aggregated: string;
  /** Bytes left out of it; `process log` shows them under `sessionId`. */
  omittedBytes?: number;
  /** Bytes of them that were dropped, because there were more than are kept. */
  droppedBytes?: number;
  /** Set when there is more to see than was shown. */
  sessionId?: string;
}

/** A command that goes on in the background. */
export interface ExecRunningDetails {
  /** Tells it from a command that has ended. */
  status: "running";
  /** What `process` calls it. */
  sessionId: string;
  /** Process id, as commands of the same workspace see it. */
  pid: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Absolute. */
  cwd: string;
  /** The shell it was for: `bash` or `sh`. Absent where the workspace has its own. */
  shell?: string;
  /** The end of what it has written so far. */
  tail: string;
  /**
   * In partial results of a command without a terminal: the whole lines it has written since the last one, each with its end.
   * Together they are its output, but for what was written faster than it could be shown; a line says how much that was.
   */
  added?: string;
  /** A port of it that is reached at `hostPort` of the host's 127.0.0.1, until it has ended. */
  forward?: NonNullable<ProcessInfo["forward"]>;
}

/** What `exec` tells programs, by `status`. */
export type ExecToolDetails = ExecEndedDetails | ExecRunningDetails;

/** @param more.isKept whether `process log` can still show what was left out. */
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
    // Cut short, its effects may be half done.
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
  return `Its port ${forward.port} is reached at http://127.0.0.1:${forward.hostPort} on the host, until it has ended.`;
}

export function formatLogHint(sessionId: string): string {
  return `[All of it: process ${JSON.stringify({ action: "log", sessionId, offset: 0 })}]`;
}
