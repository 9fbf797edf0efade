import type { Call } from "./call.ts";
import { HaftError, messageOf, type EffectReceipt } from "./errors.ts";
import { text, type ToolOutcome } from "./result.ts";

/** Builders of outcomes that are not `ok`: one place decides what the model reads. */

export function failed(call: Call, thrown: unknown, fallbackCode = "TOOL_FAILED"): ToolOutcome {
  const known = HaftError.is(thrown);
  const code = known ? thrown.code : fallbackCode;
  const category = known ? thrown.category : "operational";
  const message = messageOf(thrown);
  return {
    ...base(
      call,
      sentence("Error", message, known ? thrown.fix : undefined),
      (known && thrown.receipt) || call.receiptOfFailure(),
    ),
    kind: "error",
    code,
    category,
    details: explain(code, message, known ? thrown : undefined),
  };
}

export function blocked(
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
    details: { error: code, reason, ...(fix === undefined ? {} : { fix }), ...details },
  };
}

export function cancelled(call: Call, code: string, reason: string, receipt: EffectReceipt): ToolOutcome {
  const warning =
    receipt === "unknown" ? " It may have taken effect in part: look before you repeat it." : "";
  return {
    ...base(call, `Cancelled: ${reason}${warning}`, receipt),
    kind: "cancelled",
    code,
    details: { error: code, reason },
  };
}

export function pending(call: Call, approvalId: string, reason: string): ToolOutcome {
  const lines = [
    `Approval required (id ${approvalId}).`,
    `Call: ${call.summary()}`,
    `Reason: ${reason}`,
    `Reply with: /approve ${approvalId} allow-once|allow-always|deny`,
  ];
  return {
    ...base(call, lines.join("\n"), "none"),
    kind: "pending",
    code: "PENDING_APPROVAL",
    approvalId,
    details: { status: "pending_approval", approvalId, reason },
  };
}

function base(call: Call, message: string, receipt: EffectReceipt) {
  return {
    toolCallId: call.id,
    toolName: call.toolName,
    content: [text(message)],
    durationMs: call.elapsedMs(),
    receipt,
  };
}

function explain(code: string, message: string, error: HaftError | undefined): Record<string, unknown> {
  return { error: code, message, ...(error?.fix === undefined ? {} : { fix: error.fix }), ...error?.details };
}

function sentence(kind: string, message: string, fix: string | undefined): string {
  return fix === undefined ? `${kind}: ${message}` : `${kind}: ${message}\n${fix}`;
}
