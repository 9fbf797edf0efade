import type { ToolResult } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { clamp, MAX_POLL_MS } from "../defaults.ts";
import { formatLogHint } from "../exec/exec-result.ts";
import { throwIfLost } from "../sessions/command-lost.ts";
import type { CommandSession, Position } from "../sessions/command-session.ts";
import { type NewOutput, newOutput } from "../sessions/new-output.ts";
import { isWaitingForInput, textResult, type ProcessPollDetails, sessionDetails } from "./process-details.ts";

/** Output at this pace belongs together: a screen, or the answer of a prompt. */
const QUIET_MS = 25;
const LONGEST_SETTLE_MS = 200;
/** Suggested pauses, longer after each empty poll. */
const RETRY_SECONDS = [5, 10, 30, 60];

export async function pollSession(
  session: CommandSession,
  request: { timeout: number | undefined; inputWaitIdleMs: number },
  signal: AbortSignal,
): Promise<ToolResult<ProcessPollDetails>> {
  const from = session.acknowledge();
  const waitMs = clamp(request.timeout ?? 0, { min: 0, max: MAX_POLL_MS });
  if (!session.hasEnded) await waitForNews(session, from.offset, waitMs, signal);
  const output = await readNews(session, from);
  session.deliver(output.position, signal, session.hasEnded);
  await throwIfLost(session, { missed: output.dropped > 0 });
  session.emptyPolls = output.isNew || session.hasEnded ? 0 : session.emptyPolls + 1;
  const retrySeconds = RETRY_SECONDS[Math.min(session.emptyPolls, RETRY_SECONDS.length) - 1];
  const isWaiting = isWaitingForInput(session, request.inputWaitIdleMs);
  const parts = [
    output.text === "" ? nothingText(session) : output.text,
    output.omitted === 0 ? "" : formatLogHint(session.id),
    session.hasEnded ? endText(session) : runningText(retrySeconds, isWaiting),
    session.hasEnded || session.info.loss === undefined
      ? ""
      : `Its runner has ended: ${session.info.loss.why}.`,
  ];
  const details = withoutUndefined<ProcessPollDetails>({
    ...sessionDetails(session),
    retryInMs: retrySeconds && retrySeconds * 1000,
    waitingForInput: isWaiting || undefined,
    omittedBytes: output.omitted || undefined,
    droppedBytes: output.dropped || undefined,
  });
  return textResult(parts.filter((part) => part !== "").join("\n\n"), details);
}

async function waitForNews(
  session: CommandSession,
  from: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  let { total, state } = await session.read(from, { max: 1, waitMs, signal });
  const until = performance.now() + LONGEST_SETTLE_MS;
  while (total > from && state === "running" && !signal.aborted && performance.now() < until) {
    const known = total;
    ({ total, state } = await session.read(known, { max: 1, waitMs: QUIET_MS, signal }));
    if (total === known) return;
  }
}

/** Reads the state first: the output of an ended command is then complete. */
async function readNews(session: CommandSession, from: Position): Promise<NewOutput> {
  await session.refresh();
  const output = await newOutput(session, from);
  if (session.hasEnded || output.state === "running") return output;
  await session.refresh();
  return newOutput(session, from);
}

function nothingText(session: CommandSession): string {
  return session.hasEnded && session.info.output.total === 0 ? "(no output recorded)" : "(no new output)";
}

function runningText(retrySeconds: number | undefined, isWaiting: boolean): string {
  const retry = retrySeconds === undefined ? "" : ` Poll again in ${retrySeconds} s, or wait with timeout.`;
  return `Process still running.${isWaiting ? " It may be waiting for input." : ""}${retry}`;
}

function endText({ info, endedByModel }: CommandSession): string {
  const how = info.signal === undefined ? `code ${info.exitCode ?? 0}` : `signal ${info.signal}`;
  const reached = info.reason === "timeout" ? " Its timeout expired: side effects may be incomplete." : "";
  const killed = info.reason === "killed" && !endedByModel ? " It was killed." : "";
  return `Process exited with ${how}.${reached}${killed}`;
}
