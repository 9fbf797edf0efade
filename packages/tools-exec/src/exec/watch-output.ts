import { setTimeout as sleep } from "node:timers/promises";
import type { TextBudget } from "../output/cut-middle.ts";
import { decodeOutput } from "../output/decode-output.ts";
import { newScreenText } from "../output/screen-text.ts";
import type { CommandSession } from "../sessions/command-session.ts";

const TAIL = 2_000;
export const TAIL_BUDGET: TextBudget = { head: 0, tail: TAIL };
const TAIL_BYTES = 8 * 1024;
const PAUSE_MS = 250;
/** The result contains output directly before the end. */
const END_MS = 15;
const LONGEST_WAIT_MS = 60_000;

export async function readTail(session: CommandSession): Promise<string> {
  if (session.info.pty) {
    const { snapshot } = await session.terminal.readScreen();
    return lastLines(newScreenText(snapshot, undefined));
  }
  const { output } = await session.refresh();
  const { chunks } = await session.read(Math.max(0, output.total - TAIL_BYTES), { max: TAIL_BYTES });
  return lastLines(decodeOutput(chunks).text.replace(/^\uFFFD{1,3}/, ""));
}

export async function watchOutput(
  session: CommandSession,
  stop: AbortSignal,
  show: (tail: string) => Promise<void>,
): Promise<void> {
  let seen = 0;
  while (!stop.aborted) {
    const options = { max: 1, waitMs: LONGEST_WAIT_MS, signal: stop };
    const { total, state } = await session.read(seen, options);
    if (stop.aborted || state !== "running") return;
    if (total === seen) continue;
    seen = total;
    await sleep(END_MS, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return;
    const tail = await readTail(session);
    if (!stop.aborted) await show(tail);
    await sleep(PAUSE_MS, undefined, { signal: stop }).catch(() => {});
  }
}

function lastLines(text: string): string {
  const trimmed = text.trimEnd();
  if (trimmed.length <= TAIL) return trimmed;
  const cut = trimmed.slice(-TAIL);
  const line = cut.indexOf("\n") + 1;
  return line > 0 && line < TAIL / 2 ? cut.slice(line) : cut.replace(/^[\uDC00-\uDFFF]/, "");
}
