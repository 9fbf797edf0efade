import { text, type ToolUpdate } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { LineReader } from "../output/line-reader.ts";
import { commandAbortedError } from "../sessions/command-aborted.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import type { SessionBook } from "../sessions/session-book.ts";
import { type ExecRunningDetails, runningDetails } from "./exec-result.ts";
import { readTail, watchOutput } from "./watch-output.ts";

/** What ends within this time is answered with the start, without asking again. */
export const FIRST_WAIT_MS = 200;

interface Waiting {
  /** The call's: an aborted call takes its command with it. */
  signal: AbortSignal;
  /** Shown the end of the output meanwhile, and the lines that came; what is left of them at the end. */
  onUpdate?: ToolUpdate<ExecRunningDetails> | undefined;
  /** How long the call waits; without it, to the end. */
  patienceMs?: number | undefined;
}

/**
 * Waits for a command that belongs to a call: to its end, or until the call has waited long enough.
 *
 * @throws HaftError `ABORTED`
 */
export async function waitForCommand(
  book: SessionBook,
  session: CommandSession,
  { signal, onUpdate, patienceMs }: Waiting,
): Promise<void> {
  if (session.hasEnded) {
    if (onUpdate !== undefined) await showOutput(session, undefined, onUpdate).finish();
    return;
  }
  const { processes, info } = session;
  const stop = new AbortController();
  const shown = onUpdate === undefined ? undefined : showOutput(session, stop.signal, onUpdate);
  try {
    session.update(await processes.wait(info.id, withoutUndefined({ signal, timeoutMs: patienceMs })));
  } finally {
    stop.abort();
  }
  if (!signal.aborted || session.hasEnded) return shown?.finish();
  session.endedByModel = true;
  session.update(await processes.kill(info.id));
  await shown?.finish();
  await book.forget(session);
  throw commandAbortedError(session.info);
}

/** Of more than this an answer may leave something out, so it is shown although it came too quickly for that. */
const LONG_BYTES = 8 * 1024;

/**
 * Shows what is written, from when there is something on.
 *
 * @param stop until then; `undefined` for a command that has ended
 */
function showOutput(
  session: CommandSession,
  stop: AbortSignal | undefined,
  onUpdate: ToolUpdate<ExecRunningDetails>,
): { finish(): Promise<void> } {
  // What a terminal shows are no lines.
  const lines = session.info.pty ? undefined : new LineReader(session.read);
  let isBegun = false;
  const show = (tail: string, added: string | undefined): void => {
    isBegun = true;
    onUpdate({
      content: [text(tail)],
      details: withoutUndefined({ ...runningDetails(session, tail), added }),
    });
  };
  // What fails in it fails in the waiting, too, and is reported from there.
  const watching =
    stop === undefined
      ? undefined
      : watchOutput(session, stop, async (tail) => show(tail, await lines?.next())).catch(() => {});
  return {
    async finish() {
      await watching;
      const isLong = session.info.output.total > LONG_BYTES;
      if (lines === undefined || !(isBegun || isLong)) return;
      // Where it cannot be read any more, the answer says so.
      const added = await (session.hasEnded ? lines.rest() : lines.next()).catch(() => "");
      if (added !== "") show(await readTail(session).catch(() => ""), added);
    },
  };
}
