import type { HaftError } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { commandToolError } from "../errors.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import type { SessionBook } from "../sessions/session-book.ts";

/** @throws `INVALID_ARGUMENTS`, `PROCESS_NOT_FOUND`: also for commands of other sessions */
export async function requireSession(
  book: SessionBook,
  sessionId: string | undefined,
): Promise<CommandSession> {
  if (sessionId === undefined || sessionId.trim() === "")
    throw problem(
      "INVALID_ARGUMENTS",
      "sessionId is required for this action.",
      "Use process list to see the sessions.",
    );
  const session = await book.get(sessionId.trim());
  if (session === undefined) throw problem("PROCESS_NOT_FOUND", `No session found for ${sessionId}`);
  await session.resolveEnd();
  return session;
}

export function requireBackgrounded({ id, isBackgrounded }: CommandSession): void {
  if (isBackgrounded) return;
  throw problem(
    "SESSION_BUSY",
    `Session ${id} is not backgrounded.`,
    "The call that started it still waits and will return its output.",
  );
}

export function stillRunningError(sessionId: string): HaftError {
  return problem(
    "SESSION_BUSY",
    `Session ${sessionId} is still running.`,
    "Use kill to end it, or remove to end and remove it.",
  );
}

export function nothingToSendError(action: string, needed: string): HaftError {
  return problem("INVALID_ARGUMENTS", `${action} has nothing to send.`, `Set ${needed}.`);
}

export function unknownActionError(action: string, known: readonly string[]): HaftError {
  const fix = `Use one of ${known.join(", ")}.`;
  return commandToolError("INVALID_ARGUMENTS", `Unknown action: ${action}`, { fix });
}

type Code = Parameters<typeof commandToolError>[0];

function problem(code: Code, message: string, fix?: string): HaftError {
  return commandToolError(code, message, withoutUndefined({ fix, details: { status: "failed" } }));
}
