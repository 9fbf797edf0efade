import { withoutUndefined } from "@haft/utils";
import { formatApproval, formatWaiting } from "../approvals/format-approval.ts";
import type { ApprovalRequestRecord } from "../contract/approval-port.ts";
import { HaftError, getErrorMessage, type EffectReceipt, type ErrorCategory } from "../contract/errors.ts";
import { text, type ToolOutcome, type ToolResult } from "../contract/result.ts";
import { listCauses } from "../format/causes.ts";
import { maskKnownSecrets } from "../format/known-secrets.ts";
import type { Call } from "./call.ts";
import type { CutText } from "./limits/cut-text.ts";
import { boundResult } from "./limits/limits.ts";
import type { Spooled } from "./limits/spool.ts";

export function createFailedOutcome(
  call: Call,
  thrown: unknown,
  fallback: Fallback = "TOOL_FAILED",
): ToolOutcome {
  const { code, category, message, causes = [], fix, receipt, details } = readFailure(thrown, fallback);
  const whole = [message, ...causes.map((cause) => `Caused by: ${cause}`)].join("\n");
  const reported = maskKnownSecrets({ content: [text(sentence("Error", whole, fix))], details });
  const bounded = limitCallResult(call, reported);
  return {
    ...base(call, "", receipt ?? call.getFailureReceipt()),
    ...bounded,
    kind: "error",
    code,
    category,
  };
}

export function createEarlyFailure(toolCallId: string, toolName: string, thrown: unknown): ToolOutcome {
  const { code, category, message, fix, details } = readFailure(thrown, "INTERNAL");
  const content = [text(sentence("Error", message, fix))];
  return {
    toolCallId,
    toolName,
    content,
    details,
    durationMs: 0,
    receipt: "none",
    kind: "error",
    code,
    category,
  };
}

export function createEarlyCancellation(toolCallId: string, toolName: string): ToolOutcome {
  const reason = "aborted before it ran.";
  return {
    toolCallId,
    toolName,
    content: [text(`Cancelled: ${reason}`)],
    details: { error: "CANCELLED", reason },
    durationMs: 0,
    receipt: "none",
    kind: "cancelled",
    code: "CANCELLED",
  };
}

type Fallback = "TOOL_FAILED" | "INTERNAL";

interface Failure {
  code: string;
  category: ErrorCategory;
  message: string;
  causes?: readonly string[];
  fix?: string | undefined;
  receipt?: EffectReceipt | undefined;
  details: Record<string, unknown>;
}

function readFailure(thrown: unknown, fallback: Fallback): Failure {
  const message = getErrorMessage(thrown);
  if (HaftError.is(thrown)) {
    try {
      const { code, category, fix, receipt } = thrown;
      const facts = withoutUndefined<Record<string, unknown>>({
        error: code,
        message,
        fix,
        ...thrown.details,
      });
      return { code, category, message, fix, receipt, details: facts };
    } catch {
      // Handled like any other error.
    }
  }
  const category = fallback === "INTERNAL" ? "internal" : "operational";
  const causes = listCauses(thrown);
  const facts = causes.length === 0 ? {} : { causes };
  return { code: fallback, category, message, ...facts, details: { error: fallback, message, ...facts } };
}

export function createBlockedOutcome(
  call: Call,
  code: string,
  reason: string,
  fix?: string,
  details?: Record<string, unknown>,
): ToolOutcome {
  return {
    ...base(call, sentence("Blocked", reason, fix), "none"),
    kind: "blocked",
    code,
    details: withoutUndefined({ error: code, reason, fix, ...details }),
  };
}

export function createCancelledOutcome(call: Call, reason: string, receipt: EffectReceipt): ToolOutcome {
  const warning =
    receipt === "unknown" ? " It may have taken effect in part: check before you repeat it." : "";
  return {
    ...base(call, `Cancelled: ${reason}${warning}`, receipt),
    kind: "cancelled",
    code: "CANCELLED",
    details: { error: "CANCELLED", reason },
  };
}

/** The text tells the model to wait; `details.prompt` explains effects and answers to the person. */
export function createPendingOutcome(call: Call, request: ApprovalRequestRecord): ToolOutcome {
  const { approvalId, reason } = request;
  const note = call.note === undefined ? "" : `\n[Note: ${call.note}]`;
  const prompt = formatApproval(request);
  return {
    ...base(call, `${formatWaiting(request)}${note}`, "none"),
    kind: "pending",
    code: "PENDING_APPROVAL",
    approvalId,
    details: { status: "pending_approval", approvalId, reason, prompt },
  };
}

export function limitCallResult<Details>(call: Call, result: ToolResult<Details>): ToolResult<Details> {
  const { session } = call;
  return boundResult(result, session.settings.limits, session, (spooled, cut) =>
    whereTheRestIs(call, spooled, cut),
  );
}

function whereTheRestIs(call: Call, spooled: Spooled, cut: CutText): string {
  if (spooled.path === undefined) return `The rest was not stored: ${spooled.reason}. Ask for less at once.`;
  const path = call.session.mountSpooledFile(spooled.path);
  const offset = cut.shown === undefined ? 1 : cut.shown.headTo + 1;
  return call.session.view.visible.has("read")
    ? `To see the rest: read ${JSON.stringify({ path, offset })}`
    : `The rest is in ${path}.`;
}

function base(call: Call, message: string, receipt: EffectReceipt) {
  return {
    toolCallId: call.answeredAs,
    toolName: call.toolName,
    content: [text(message)],
    durationMs: call.elapsedMs(),
    receipt,
  };
}

function sentence(kind: string, message: string, fix: string | undefined): string {
  return fix === undefined ? `${kind}: ${message}` : `${kind}: ${message}\n${fix}`;
}
