import { text, type ToolOutcome } from "../../contract/result.ts";
import { withoutUndefined } from "../../contract/without-undefined.ts";
import type { AdmittedCall } from "../call.ts";
import type { LoopFinding } from "../loop-guard.ts";
import { resultFingerprint } from "../result-fingerprint.ts";
import { keyOf, traitsOf } from "./check-repetition.ts";
import { runHooksAfter } from "./run-hooks.ts";

/** Writes down how the call ended and tells everyone. Every call ends here, exactly once. */
export function record(call: AdmittedCall, outcome: ToolOutcome): ToolOutcome {
  const { session } = call;
  if (outcome.kind === "pending") return outcome;
  call.ended = true;
  call.connections?.abort(new DOMException("The call has ended.", "AbortError"));
  session.running.leave(call);
  const finding = observe(call, outcome);
  if (finding && session.settings.loopLimits) warn(call, outcome, finding);
  if (call.note !== undefined) outcome.content = [...outcome.content, text(`[Note: ${call.note}]`)];
  session.ledger.end(call.meta, outcome, call.decision?.id);
  announce(call, outcome);
  if (session.settings.hooks.length > 0 && call.isResolved()) runHooksAfter(call, outcome);
  call.tellRecorded(outcome);
  return outcome;
}

/** Lets the guard see the call, also one that never ran: asking again for what is refused is a loop too. */
function observe(call: AdmittedCall, outcome: ToolOutcome): LoopFinding | undefined {
  const { guard } = call.session;
  if (!call.record) {
    const code = outcome.kind === "ok" ? "" : outcome.code;
    if (call.key === "") return guard.refuse(keyOf(call), call.id, traitsOf(call), code);
    guard.hold(call.key, code);
    return undefined;
  }
  const volatile = call.tool?.tool.progress?.volatileDetails;
  const fingerprint = resultFingerprint(outcome.content, outcome.details, volatile);
  return guard.finish(call.record, call.id, outcome.kind === "ok", fingerprint);
}

/** The model reads the warning with the result: a warning in a log helps nobody. */
function warn(call: AdmittedCall, outcome: ToolOutcome, finding: LoopFinding): void {
  outcome.content = [...outcome.content, text(`[Note: ${finding.message}]`)];
  call.emit({ type: "tool-warning", code: finding.code, message: finding.message });
}

function announce(call: AdmittedCall, outcome: ToolOutcome): void {
  if (outcome.kind === "blocked") {
    const { reason, fix } = outcome.details as { reason: string; fix?: string };
    call.emit(withoutUndefined({ type: "tool-blocked", code: outcome.code, reason, fix }));
  }
  call.emit({ type: "tool-end", outcome });
}
