import type { CallPlan, HaftError, PlanContext, ToolContext, ToolResult } from "@haft/plugin-sdk";
import { clamp, INPUT_IDLE_MS, ENDED_RETENTION_MS } from "../defaults.ts";
import { commandToolError } from "../errors.ts";
import { type SessionBook, sessionBook } from "../sessions/session-book.ts";
import { clearSession, killSession, removeSession } from "./end-session.ts";
import { listSessions } from "./list.ts";
import { logSession } from "./log.ts";
import { pollSession } from "./poll.ts";
import type { ProcessToolDetails } from "./process-details.ts";
import {
  ACTIONS,
  isInput,
  READ_ONLY_ACTIONS,
  type ProcessToolInput,
  type ProcessToolOptions,
} from "./process-schema.ts";
import { resizeTerminal } from "./resize.ts";
import { pasteText, sendKeys, submitInput, writeInput } from "./send-input.ts";
import { requireBackgrounded, requireSession } from "./session-errors.ts";

export async function planProcess(
  params: ProcessToolInput,
  { workspace, sessionKey }: PlanContext,
  options: ProcessToolOptions,
): Promise<CallPlan> {
  const { action } = params;
  if (!isInput(action)) return { subjects: { action } };
  const book = sessionBook(workspace, options.scopeKey ?? sessionKey);
  const session = await book.get(params.sessionId ?? "");
  if (session?.isBackgrounded !== true || session.info.stdin !== "open") return { subjects: { action } };
  const { planInput } = await import("../plan/plan-input.ts");
  return planInput(book.findBook(session).workspace, session, { ...params, action });
}

export async function runProcess(
  params: ProcessToolInput,
  signal: AbortSignal,
  context: ToolContext,
  options: ProcessToolOptions,
): Promise<ToolResult<ProcessToolDetails>> {
  const inputWaitIdleMs = clamp(options.inputWaitIdleMs ?? INPUT_IDLE_MS.default, INPUT_IDLE_MS);
  const book = sessionBook(context.workspace, options.scopeKey ?? context.sessionKey);
  if (options.cleanupMs !== undefined) book.endedRetentionMs = clamp(options.cleanupMs, ENDED_RETENTION_MS);
  await book.prune();
  const { action } = params;
  if (!ACTIONS.includes(action)) throw unknownAction(action);
  const result =
    action === "list"
      ? await listSessions(book, inputWaitIdleMs)
      : await act(book, { ...params, action }, inputWaitIdleMs, signal);
  return READ_ONLY_ACTIONS.includes(action) ? { ...result, receipt: "none" } : result;
}

type SessionAction = Exclude<ProcessToolInput["action"], "list">;

async function act(
  book: SessionBook,
  params: ProcessToolInput & { action: SessionAction },
  inputWaitIdleMs: number,
  signal: AbortSignal,
): Promise<ToolResult<ProcessToolDetails>> {
  const session = await requireSession(book, params.sessionId);
  if (params.action !== "kill") requireBackgrounded(session);
  const { timeout, offset, limit, data, eof, keys, hex, literal, text, bracketed, cols, rows } = params;
  switch (params.action) {
    case "poll":
      return session.whilePolling(pollSession(session, { timeout, inputWaitIdleMs }, signal));
    case "log":
      return logSession(session, { offset, limit });
    case "write":
      return writeInput(session, { data, eof });
    case "send-keys":
      return sendKeys(session, { literal, hex, keys });
    case "submit":
      return submitInput(session, data);
    case "paste":
      return pasteText(session, { text, bracketed });
    case "resize":
      return resizeTerminal(session, { cols, rows });
    case "kill":
      return killSession(session);
    case "clear":
      return clearSession(book, session);
    case "remove":
      return removeSession(book, session);
  }
}

function unknownAction(action: string): HaftError {
  return commandToolError("INVALID_ARGUMENTS", `Unknown action: ${action}`, {
    fix: `Use one of ${ACTIONS.join(", ")}.`,
  });
}
