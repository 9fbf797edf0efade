import {
  type CallPlan,
  type OutputChunk,
  text,
  type ToolContext,
  type ToolResult,
  type Workspace,
} from "@haft/plugin-sdk";
import { withoutUndefined, formatBytes } from "@haft/utils";
import { SCRIPT_OUTPUT } from "../defaults.ts";
import { commandToolError } from "../errors.ts";
import { type ExecRunningDetails, formatLogHint } from "../exec/exec-result.ts";
import { FIRST_WAIT_MS } from "../exec/wait-for-command.ts";
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
import type { SessionBook } from "../sessions/session-book.ts";

export { waitForCommand } from "../exec/wait-for-command.ts";
export { sessionBook } from "../sessions/session-book.ts";

/** Describes a script that ended with exit code 0 during the call. */
export interface BashEndedDetails {
  /** A script that fails is an error. */
  status: "completed";
  /** Always 0. */
  exitCode: number;
  durationMs: number;
  cwd: string;
  /** Counts the bytes before the shown output. */
  omittedBytes?: number;
  /** Path of the whole output, if a part was omitted and the output is long enough. */
  fullOutputPath?: string;
  /** Id for `process log`, if a part was omitted. */
  sessionId?: string;
}

/** The `details` of `bash`. */
export type BashToolDetails = BashEndedDetails | ExecRunningDetails;

const READ_BYTES = 256 * 1024;

interface BashCall {
  params: { script: string; timeout?: number; workdir?: string };
  signal: AbortSignal;
  context: ToolContext;
  book: SessionBook;
}

export async function planScript(params: BashCall["params"], workspace: Workspace): Promise<CallPlan> {
  const { script, workdir } = params;
  const { planCommand } = await import("../plan/plan-command.ts");
  return planCommand(workspace, { text: script, shell: "bash", workdir });
}

/** @throws `EXEC_SELF_APPROVAL` */
export async function startScript({ params, signal, context, book }: BashCall): Promise<CommandSession> {
  const { script, timeout = 0, workdir } = params;
  const { plan, workspace } = context;
  if (plan === undefined) await checkUnplannedCommand(script, "bash", workspace.describe());
  return book.start(
    withoutUndefined({
      ...toStartSpec(plan, script, workdir, "bash"),
      timeoutMs: timeout > 0 ? timeout * 1000 : undefined,
    }),
    { signal, waitMs: FIRST_WAIT_MS, shell: "bash", isBackgrounded: false },
  );
}

/** @throws `SCRIPT_FAILED`, `SCRIPT_TIMED_OUT`, and errors of a lost command */
export async function scriptResult(
  { params, signal, context, book }: BashCall,
  session: CommandSession,
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
  const notices = readTargetNotices(context.workspace, { command: params.script, output });
  const shown = [...notices, ...getPlannedNotices(context.plan), body].join("\n");
  const { exitCode, ...end } = session.end;
  if (exitCode === 0 && end.failureKind === undefined) {
    return { content: [text(shown)], details: { status: "completed", exitCode, ...details } };
  }
  const note =
    end.failureKind === undefined
      ? `Command exited with code ${exitCode}`
      : endNote(withoutUndefined({ ...end, exitCode }), params.timeout ?? 0);
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
