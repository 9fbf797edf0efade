import type { ToolResult } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import type { CommandSession } from "../sessions/command-session.ts";
import type { SessionBook } from "../sessions/session-book.ts";
import {
  isWaitingForInput,
  textResult,
  type ListedSession,
  sessionName,
  type ProcessListDetails,
} from "./process-details.ts";

export async function listSessions(
  book: SessionBook,
  inputWaitIdleMs: number,
): Promise<ToolResult<ProcessListDetails>> {
  const found = (await book.list()).filter((session) => session.isBackgrounded);
  await Promise.all(found.map((session) => session.resolveEnd()));
  const sessions = found.map((session) => describe(session, inputWaitIdleMs));
  const lines = sessions.map(
    ({ sessionId, status, runtimeMs, name, waitingForInput, forward, loss }) =>
      `${sessionId} ${status.padEnd(9)} ${formatDuration(runtimeMs)} :: ${name}` +
      (waitingForInput === true ? " [input-wait]" : "") +
      (loss === undefined ? "" : ` [${loss}]`) +
      (forward === undefined ? "" : ` [port ${forward.port}: http://127.0.0.1:${forward.hostPort}]`),
  );
  return textResult(lines.join("\n") || "No running or recent sessions.", { status: "completed", sessions });
}

function describe(session: CommandSession, inputWaitIdleMs: number): ListedSession {
  const { id: sessionId, info } = session;
  const { pid, startedAt, endedAt, cwd, command, output, forward } = info;
  return withoutUndefined({
    ...(session.hasEnded ? session.end : { pid }),
    sessionId,
    status: session.status,
    startedAt,
    endedAt,
    runtimeMs: (endedAt ?? Date.now()) - startedAt,
    cwd,
    command,
    name: sessionName(session),
    forward,
    loss: info.loss?.why,
    outputBytes: output.total,
    truncated: output.dropped > 0,
    waitingForInput: isWaitingForInput(session, inputWaitIdleMs) || undefined,
  });
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** `812ms`, `12s`, `3m20s`, `2h5m`. */
function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return joined(Math.floor(ms / MINUTE), "m", Math.floor((ms % MINUTE) / SECOND), "s");
  return joined(Math.floor(ms / HOUR), "h", Math.floor((ms % HOUR) / MINUTE), "m");
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return `${large}${largeUnit}${small === 0 ? "" : `${small}${smallUnit}`}`;
}
