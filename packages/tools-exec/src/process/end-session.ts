import type { ToolResult } from "@haft/plugin-sdk";
import { throwIfLost } from "../sessions/command-lost.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { formatEndedProcesses, formatLeftProcesses } from "../sessions/describe-end.ts";
import type { SessionBook } from "../sessions/session-book.ts";
import { textResult, type ProcessSessionDetails, sessionDetails } from "./process-details.ts";
import { stillRunningError } from "./session-errors.ts";

export async function killSession(session: CommandSession): Promise<ToolResult<ProcessSessionDetails>> {
  const { id, processes, info } = session;
  const hadEnded = session.hasEnded;
  const hadSurvived = !hadEnded && info.loss !== undefined;
  session.endedByModel = true;
  session.update(await processes.kill(info.id));
  if (hadSurvived) return survivorKilled(session);
  await throwIfLost(session);
  const ended = formatEndedProcesses(session.info);
  const done = hadEnded
    ? `Session ${id} had ended already; its remaining processes were killed${ended}.`
    : `Killed session ${id}${ended}.`;
  const details = sessionDetails(session);
  const message = `${done} ${formatLeftProcesses(session.info)}`.trimEnd();
  return textResult(message, hadEnded ? details : { ...details, status: "killed" });
}

function survivorKilled(session: CommandSession): ToolResult<ProcessSessionDetails> {
  const { id, info } = session;
  const details = sessionDetails(session);
  if (info.state === "running")
    return textResult(`Session ${id} could not be killed: ${info.loss?.why ?? "it still runs"}.`, details);
  const message = `Killed session ${id} with its process group. Processes that left the group may still run.`;
  return textResult(message, { ...details, status: "killed" });
}

export async function clearSession(
  book: SessionBook,
  session: CommandSession,
): Promise<ToolResult<ProcessSessionDetails>> {
  if (!session.hasEnded) throw stillRunningError(session.id);
  const details = sessionDetails(session);
  await book.forget(session);
  return textResult(`Cleared session ${session.id}.`, details);
}

export async function removeSession(
  book: SessionBook,
  session: CommandSession,
): Promise<ToolResult<ProcessSessionDetails>> {
  const wasRunning = !session.hasEnded;
  if (wasRunning) await killSession(session);
  const details = sessionDetails(session);
  await book.forget(session);
  const note = wasRunning
    ? ` It was killed${formatEndedProcesses(session.info)}. ${formatLeftProcesses(session.info)}`
    : "";
  return textResult(`Removed session ${session.id}.${note}`.trimEnd(), details);
}
