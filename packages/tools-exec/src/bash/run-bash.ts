import { formatBytes } from "@haft/core/internal";
import {
  type CallPlan,
  type OutputChunk,
  text,
  type ToolResult,
  withoutUndefined,
  type Workspace,
} from "@haft/plugin-sdk";
import { SCRIPT_OUTPUT } from "../defaults.ts";
import { commandToolError } from "../errors.ts";
import { formatLogHint } from "../exec/exec-result.ts";
import { FIRST_WAIT_MS, waitForCommand } from "../exec/wait-for-command.ts";
import { decodeOutput, INITIAL_DECODER_STATE } from "../output/decode-output.ts";
import { lastLines } from "../output/last-lines.ts";
import {
  checkUnplannedCommand,
  getPlannedNotices,
  readTargetNotices,
  toStartSpec,
} from "../plan/start-spec.ts";
import { throwIfLost } from "../sessions/command-lost.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { endNote } from "../sessions/describe-end.ts";
import { type SessionBook, sessionBook } from "../sessions/session-book.ts";
import type { StartingCall } from "../sessions/starting-call.ts";
import type { BashEndedDetails, BashToolDetails, BashToolInput, BashToolOptions } from "./bash-schema.ts";

/** Read for them: escape sequences and progress bars take their share. */
const READ_BYTES = 256 * 1024;

export async function planBash({ script, workdir }: BashToolInput, workspace: Workspace): Promise<CallPlan> {
  const { planCommand } = await import("../plan/plan-command.ts");
  return planCommand(workspace, { text: script, shell: "bash", workdir });
}

export async function runBash(
  { script, timeout = 0, workdir }: BashToolInput,
  { signal, onUpdate, context, options }: StartingCall<BashToolOptions, BashToolDetails>,
): Promise<ToolResult<BashToolDetails>> {
  const book = sessionBook(context.workspace, options.scopeKey ?? context.sessionKey);
  const { cwd, target } = context.workspace.describe();
  if (context.plan === undefined)
    await checkUnplannedCommand(script, "bash", { cwd, isHere: target === "host" });
  const session = await book.start(
    withoutUndefined({
      ...toStartSpec(context.plan, script, workdir, "bash"),
      timeoutMs: timeout > 0 ? timeout * 1000 : undefined,
    }),
    { signal, waitMs: FIRST_WAIT_MS, shell: "bash", isBackgrounded: false },
  );
  await waitForCommand(book, session, { signal, onUpdate });
  return report(
    book,
    session,
    {
      timeout,
      notices: getPlannedNotices(context.plan),
      place: (output) => readTargetNotices(context.workspace, { command: script, output }),
    },
    signal,
  );
}

interface Told {
  timeout: number;
  notices: readonly string[];
  place: (output: string) => readonly string[];
}

async function report(
  book: SessionBook,
  session: CommandSession,
  { timeout, notices, place }: Told,
  signal: AbortSignal,
): Promise<ToolResult<BashEndedDetails>> {
  const { info, id: sessionId } = session;
  const { output, omittedBytes, dropped } = await lastOutput(session);
  await session.resolveEnd();
  await throwIfLost(session, { missed: dropped > 0, book });
  session.deliver(
    { offset: info.output.total, decoder: INITIAL_DECODER_STATE, screen: undefined },
    signal,
    true,
  );
  const isAll = omittedBytes === 0;
  session.isBackgrounded = !isAll;
  if (isAll) book.forgetSoon(session);
  const rest = isAll ? {} : { omittedBytes, sessionId, fullOutputPath: info.output.spoolPath };
  const details = withoutUndefined<Omit<BashEndedDetails, "status" | "exitCode">>({
    durationMs: (info.endedAt ?? Date.now()) - info.startedAt,
    cwd: info.cwd,
    ...rest,
  });
  const notice = `[… ${formatBytes(omittedBytes)} before this left out …]`;
  const body = isAll ? output || "(no output)" : `${notice}\n${output}\n\n${formatLogHint(sessionId)}`;
  const shown = [...place(output), ...notices, body].join("\n");
  const { exitCode, ...end } = session.end;
  if (exitCode === 0 && end.failureKind === undefined) {
    return { content: [text(shown)], details: { status: "completed", exitCode, ...details } };
  }
  const note =
    end.failureKind === undefined
      ? `Command exited with code ${exitCode}`
      : endNote(withoutUndefined({ ...end, exitCode }), timeout);
  const code = end.timedOut === true ? "SCRIPT_TIMED_OUT" : "SCRIPT_FAILED";
  throw commandToolError(code, `${shown}\n\n${note}`, { details: { ...session.end, ...details } });
}

async function lastOutput(session: CommandSession) {
  const { total } = session.info.output;
  const chunks: OutputChunk[] = [];
  const start = Math.max(0, total - READ_BYTES);
  let dropped = 0;
  for (let next = start; next < total;) {
    const page = await session.read(next, { max: READ_BYTES });
    dropped += page.dropped;
    if (page.next === next) break;
    chunks.push(...page.chunks);
    next = page.next;
  }
  const { text: decoded } = decodeOutput(chunks, undefined, { ended: true });
  const { text: output, omitted } = lastLines(decoded, SCRIPT_OUTPUT.lines, SCRIPT_OUTPUT.bytes);
  return { output, omittedBytes: start + omitted, dropped };
}
