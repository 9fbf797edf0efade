import { HaftError, type HaftErrorOptions, getErrorMessage } from "@haft/core";
import type { EffectReceipt } from "@haft/core/internal";
import { RUNNER_ERROR_CODES, RunnerError } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { toErrorCode, createFailure, type FailureReason, workspaceError } from "../errors.ts";
import type { ReplyError } from "./protocol.ts";

const MAX_MESSAGE = 8_192;
const MAX_DETAILS = 16 * 1024;
export const MAX_WHY = 1_000;

/** The receipt is `none` unless the catalogue defines more. */
export function processFailure(
  code: FailureReason,
  tried: string,
  why: string,
  more: Partial<HaftErrorOptions> = {},
): HaftError {
  const { receipt = "none" }: { receipt?: EffectReceipt } = workspaceError.catalogue[toErrorCode(code)];
  return createFailure(code, `Cannot ${tried}: ${why}.`, { receipt, ...more });
}

export function processAbortedError(tried: string, why: string, receipt: EffectReceipt = "none"): HaftError {
  return processFailure("ABORTED", tried, why, { fix: "Start it again if it is still needed.", receipt });
}

export function toProcessFailure(thrown: unknown, tried: string, target: "host" | "sandbox"): unknown {
  if (!(thrown instanceof RunnerError)) {
    if (target === "host" || HaftError.is(thrown)) return thrown;
    return processFailure("runner-failed", tried, getErrorMessage(thrown).slice(0, MAX_WHY), {
      cause: thrown,
    });
  }
  const { code, message } = thrown;
  if (target === "host") return processFailure(code, tried, message, { cause: thrown });
  const why = message.slice(0, MAX_WHY);
  if (code === "RUNNER_LOST") return sandboxLostError(tried, why, "unknown", thrown);
  if (code === "RUNNER_UNAVAILABLE") return sandboxLostError(tried, why, "none", thrown);
  // Only the host can report on its programs.
  const known = RUNNER_ERROR_CODES.includes(code) && !/^host[-_]/i.test(code);
  return processFailure(known ? code : "runner-failed", tried, why, { cause: thrown });
}

/** Only the text depends on the runner. */
export function toHaftError({ reported }: RunnerReportedError): HaftError {
  const { code, why, category, fix, details, receipt } = reported;
  return new HaftError(
    /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : "FILE_SYSTEM_FAILED",
    why.slice(0, MAX_MESSAGE),
    withoutUndefined<HaftErrorOptions>({
      category: category === "input" || category === "policy" ? category : "operational",
      fix: typeof fix === "string" ? fix.slice(0, MAX_MESSAGE) : undefined,
      details: isDetails(details) ? details : undefined,
      receipt: isReceipt(receipt) ? receipt : undefined,
    }),
  );
}

export function sandboxLostError(
  tried: string,
  why: string,
  receipt: EffectReceipt,
  cause?: unknown,
): HaftError {
  return workspaceError(
    "SANDBOX_LOST",
    `Cannot ${tried}: the sandbox is gone, because ${why}.`,
    withoutUndefined<Partial<HaftErrorOptions>>({
      ...(receipt === "none" && {
        fix: "Nothing was done. Repeat the call: a new sandbox is opened for it.",
      }),
      receipt,
      cause,
    }),
  );
}

export function noRunnerError(why: string, cause?: unknown): HaftError {
  return workspaceError(
    "SANDBOX_NO_RUNNER",
    `No runner answers in the sandbox: ${why}.`,
    withoutUndefined<Partial<HaftErrorOptions>>({
      fix: "Check for Node 20 or later in the sandbox, and read its error output.",
      receipt: "none",
      cause,
    }),
  );
}

function isDetails(details: ReplyError["details"]): details is Record<string, unknown> {
  return (
    typeof details === "object" &&
    details !== null &&
    !Array.isArray(details) &&
    JSON.stringify(details).length <= MAX_DETAILS
  );
}

function isReceipt(receipt: unknown): receipt is EffectReceipt {
  return receipt === "none" || receipt === "committed" || receipt === "unknown";
}

interface ReportedError {
  reported: ReplyError & { code: string; category: string };
}

export class NotSentError extends Error {}

export class RunnerReportedError extends Error implements ReportedError {
  readonly reported: ReportedError["reported"];

  constructor(made: ReportedError["reported"]) {
    super(made.why);
    this.reported = made;
  }
}

export function errorFromReply(error: ReplyError): Error {
  const { code, why, category, ...rest } = Object(error) as ReplyError;
  const text = typeof why === "string" ? why : "it gives no reason";
  if (typeof code !== "string") return new Error(text);
  if (typeof category !== "string") return new RunnerError(code as RunnerError["code"], text);
  return new RunnerReportedError({ ...rest, code, category, why: text });
}
