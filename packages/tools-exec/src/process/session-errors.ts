import { HaftError } from "@haft/plugin-sdk";
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
  if (sessionId === undefined || sessionId.trim() === "") {
    throw problem(
      "SESSION_ID_REQUIRED",
      "sessionId is required for this action.",
      "See process list for the sessions there are.",
    );
  }
  const session = await book.get(sessionId.trim());
  if (session === undefined) throw noSession(sessionId);
  await session.refresh();
  return session;
}

/** @throws HaftError `SESSION_NOT_BACKGROUNDED` */
export function requireBackgrounded({ id, isBackgrounded }: CommandSession): void {
  if (isBackgrounded) return;
  const fix = "The call that started it still waits and will answer with its output.";
  throw problem("SESSION_NOT_BACKGROUNDED", `Session ${id} is not backgrounded.`, fix);
}

function noSession(sessionId: string): HaftError {
  const fix = "See process list for the sessions there are; ended ones are forgotten after a while.";
  return problem("SESSION_NOT_FOUND", `No session found for ${sessionId}`, fix);
}

export function stillRunning(sessionId: string): HaftError {
  return problem(
    "SESSION_RUNNING",
    `Session ${sessionId} is still running.`,
    "Use kill to end it, or remove to end and forget it.",
  );
}

export function nothingToSend(action: string, needed: string): HaftError {
  return problem("INPUT_MISSING", `${action} has nothing to send.`, `Set ${needed}.`);
}

function problem(code: string, message: string, fix: string): HaftError {
  return new HaftError(code, message, {
    category: "input",
    fix,
    receipt: "none",
    details: { status: "failed" },
  });
}
