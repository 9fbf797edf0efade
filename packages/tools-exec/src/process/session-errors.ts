import { type HaftError, withoutUndefined } from "@haft/plugin-sdk";
import { commandToolError } from "../errors.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import type { SessionBook } from "../sessions/session-book.ts";

/**
 * The command an action is about.
 *
 * @throws HaftError `SESSION_ID_REQUIRED`, `SESSION_NOT_FOUND`: also for commands of other sessions
 */
export async function requireSession(
  book: SessionBook,
  sessionId: string | undefined,
): Promise<CommandSession> {
  if (sessionId === undefined || sessionId.trim() === "")
    throw problem("SESSION_ID_REQUIRED", "sessionId is required for this action.");
  const session = await book.get(sessionId.trim());
  if (session === undefined) throw problem("SESSION_NOT_FOUND", `No session found for ${sessionId}`);
  await session.lookAtEnd();
  return session;
}

export function requireBackgrounded({ id, isBackgrounded }: CommandSession): void {
  if (isBackgrounded) return;
  throw problem("SESSION_NOT_BACKGROUNDED", `Session ${id} is not backgrounded.`);
}

export function stillRunning(sessionId: string): HaftError {
  return problem("SESSION_RUNNING", `Session ${sessionId} is still running.`);
}

export function nothingToSend(action: string, needed: string): HaftError {
  return problem("INPUT_MISSING", `${action} has nothing to send.`, `Set ${needed}.`);
}

type Code = Parameters<typeof commandToolError>[0];

function problem(code: Code, message: string, fix?: string): HaftError {
  return commandToolError(code, message, withoutUndefined({ fix, details: { status: "failed" } }));
}
