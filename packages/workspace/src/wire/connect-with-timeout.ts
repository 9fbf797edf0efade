import { HaftError, getErrorMessage } from "@haft/core";
import { workspaceError } from "../errors.ts";
import { noRunnerError, RunnerReportedError, toHaftError } from "./failures.ts";

export interface ConnectContext {
  channel: { abandon(why: string): void };
  startMs: number;
  signal: AbortSignal | undefined;
}

export async function connectWithTimeout<Connection>(
  { channel, startMs, signal }: ConnectContext,
  open: () => Promise<Connection>,
): Promise<Connection> {
  const tooLate = setTimeout(() => channel.abandon(`it sent no greeting within ${startMs} ms`), startMs);
  const onAbort = (): void => channel.abandon("it was cancelled");
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener("abort", onAbort);
  try {
    return await open();
  } catch (thrown) {
    channel.abandon("it could not be opened");
    if (signal?.aborted === true) throw aborted(signal);
    if (thrown instanceof RunnerReportedError) throw toHaftError(thrown);
    throw HaftError.is(thrown) ? thrown : noRunnerError(getErrorMessage(thrown), thrown);
  } finally {
    clearTimeout(tooLate);
    signal?.removeEventListener("abort", onAbort);
  }
}

function aborted(signal: AbortSignal): HaftError {
  const message = "Opening the sandbox was cancelled.";
  const fix = "Open it again if it is still needed.";
  return workspaceError("ABORTED", message, { fix, receipt: "none", cause: signal.reason });
}
