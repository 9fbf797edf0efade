import { text, type ToolUpdate, withoutUndefined } from "@haft/plugin-sdk";
import { commandAborted } from "../sessions/command-aborted.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import type { SessionBook } from "../sessions/session-book.ts";
import { type ExecRunningDetails, runningDetails } from "./exec-result.ts";
import { watchOutput } from "./watch-output.ts";

/** What ends within this time is answered with the start, without asking again. */
export const FIRST_WAIT_MS = 200;

export interface Waiting {
  /** The call's: an aborted call takes its command with it. */
  signal: AbortSignal;
  /** Shown the end of the output meanwhile. */
  onUpdate?: ToolUpdate<ExecRunningDetails> | undefined;
  /** How long the call waits; without it, to the end. */
  patienceMs?: number | undefined;
}

/**
 * Waits for a command that belongs to a call: to its end, or until the call has waited long enough.
 *
 * @throws HaftError `COMMAND_ABORTED`
 */
export async function waitForCommand(
  book: SessionBook,
  session: CommandSession,
  { signal, onUpdate, patienceMs }: Waiting,
): Promise<void> {
  if (session.hasEnded) return;
  const { processes, info } = session;
  const stop = new AbortController();
  if (onUpdate !== undefined) {
    const show = (tail: string): void =>
      onUpdate({ content: [text(tail)], details: runningDetails(session, tail) });
    // What fails in it fails in the waiting, too, and is reported from there.
    watchOutput(session, stop.signal, show).catch(() => {});
  }
  try {
    session.learn(await processes.wait(info.id, withoutUndefined({ signal, timeoutMs: patienceMs })));
  } finally {
    stop.abort();
  }
  if (!signal.aborted || session.hasEnded) return;
  session.wasEnded = true;
  session.learn(await processes.kill(info.id));
  await book.forget(session);
  throw commandAborted(session.info);
}
