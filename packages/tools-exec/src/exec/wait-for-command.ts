import { text, type ToolUpdate } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { LineReader } from "../output/line-reader.ts";
import { commandAbortedError } from "../sessions/command-aborted.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import type { SessionBook } from "../sessions/session-book.ts";
import { type ExecRunningDetails, runningDetails } from "./exec-result.ts";
import { readTail, watchOutput } from "./watch-output.ts";

/** Reported with the start, without another wait. */
export const FIRST_WAIT_MS = 200;

interface Waiting {
  /** An aborted call ends its command. */
  signal: AbortSignal;
  onUpdate?: ToolUpdate<ExecRunningDetails> | undefined;
  patienceMs?: number | undefined;
}

/** @throws `ABORTED` */
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

const LONG_BYTES = 8 * 1024;

function showOutput(
  session: CommandSession,
  stop: AbortSignal | undefined,
  onUpdate: ToolUpdate<ExecRunningDetails>,
): { finish(): Promise<void> } {
  const lines = session.info.pty ? undefined : new LineReader(session.read);
  let isBegun = false;
  const show = (tail: string, added: string | undefined): void => {
    isBegun = true;
    onUpdate({
      content: [text(tail)],
      details: withoutUndefined({ ...runningDetails(session, tail), added }),
    });
  };
  const watching =
    stop === undefined
      ? undefined
      : watchOutput(session, stop, async (tail) => show(tail, await lines?.next())).catch(() => {});
  return {
    async finish() {
      await watching;
      const isLong = session.info.output.total > LONG_BYTES;
      if (lines === undefined || !(isBegun || isLong)) return;
      const added = await (session.hasEnded ? lines.rest() : lines.next()).catch(() => "");
      if (added !== "") show(await readTail(session).catch(() => ""), added);
    },
  };
}
