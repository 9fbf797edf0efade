import { withoutUndefined } from "@haft/utils";
import type { HaftError } from "../../contract/errors.ts";
import {
  getImageChecksum,
  type ContentBlock,
  type ImageBlock,
  text,
  type ToolOutcome,
} from "../../contract/result.ts";
import { canonicalText } from "../../parameters/digest.ts";
import type { AdmittedCall } from "../call.ts";
import type { LoopFinding } from "../loop-guard.ts";
import { getCallKey } from "./check-repetition.ts";
import { runHooksAfter } from "./run-hooks.ts";

export function record(call: AdmittedCall, outcome: ToolOutcome): ToolOutcome | Promise<ToolOutcome> {
  const { session } = call;
  if (outcome.kind === "pending") return outcome;
  call.ended = true;
  call.connections?.abort(new DOMException("The call has ended.", "AbortError"));
  const finding = observe(call, outcome);
  if (finding && session.settings.loopLimits) {
    outcome.content = [...outcome.content, text(`[Note: ${finding.message}]`)];
    call.emit({ type: "tool-warning", code: finding.code, message: finding.message });
  }
  if (call.note !== undefined) outcome.content = [...outcome.content, text(`[Note: ${call.note}]`)];
  if (call.isResumed) outcome.resumed = true;
  session.callHistory.end(call.meta, outcome, call.decision?.id);
  const written = session.recorder?.recordEnd(call, outcome);
  return written instanceof Promise
    ? written.then((error) => report(call, outcome, error))
    : report(call, outcome, written);
}

function report(call: AdmittedCall, outcome: ToolOutcome, unwritten: HaftError | undefined): ToolOutcome {
  const { session } = call;
  session.running.leave(call);
  if (unwritten !== undefined) warnUnwritten(call, outcome, unwritten);
  announce(call, outcome);
  if (session.settings.hooks.length > 0 && call.isResolved()) runHooksAfter(call, outcome);
  call.resolveOutcome(outcome);
  return outcome;
}

function observe(call: AdmittedCall, outcome: ToolOutcome): LoopFinding | undefined {
  const { guard } = call.session;
  if (!call.record) {
    const code = outcome.kind === "ok" ? "" : outcome.code;
    if (call.key === "") return guard.refuse((call.key = getCallKey(call)), call.id, call.traits(), code);
    guard.recordStopped(call.key, code);
    return undefined;
  }
  const volatile = call.tool?.tool.progress?.volatileDetails;
  const fingerprint = resultFingerprint(outcome.content, outcome.details, volatile);
  call.fingerprint = call.session.identity(fingerprint);
  return guard.finish(
    call.record,
    call.id,
    outcome.kind === "ok",
    call.fingerprint,
    Date.now(),
    call.runMs(),
  );
}

function warnUnwritten(call: AdmittedCall, outcome: ToolOutcome, { code, message }: HaftError): void {
  const later =
    code === "SESSION_LEASE_LOST"
      ? "The new holder of the run finds the call as a conflict or as interrupted."
      : "Haft retries until the session is closed. If that fails, the ledger has the call as interrupted, or not at all.";
  const note = `The end of this call could not be written to the ledger: ${message} ${later}`;
  outcome.content = [...outcome.content, text(`[Note: ${note}]`)];
  call.emit({ type: "tool-warning", code, message: note });
}

function announce(call: AdmittedCall, outcome: ToolOutcome): void {
  if (outcome.kind === "blocked") {
    const { reason, fix } = outcome.details as { reason: string; fix?: string };
    call.emit(withoutUndefined({ type: "tool-blocked", code: outcome.code, reason, fix }));
  }
  const { decision } = call;
  call.emit(withoutUndefined({ type: "tool-end" as const, outcome, decision }));
}

export function resultFingerprint(
  content: readonly ContentBlock[],
  details: unknown,
  volatileDetails: readonly string[] | undefined,
): string {
  // The text usually repeats volatile fields ("ran 1.2 s").
  if (volatileDetails && volatileDetails.length > 0) {
    try {
      return brief(canonicalText(without(details, volatileDetails)));
    } catch {
      // Unreadable details do not count.
    }
  }
  let body = "";
  for (const block of content)
    body += block.type === "text" ? `t${brief(block.text)}\n` : `i${briefOf(block)}\n`;
  return brief(body);
}

function briefOf(block: ImageBlock): string {
  const known = getImageChecksum(block);
  return known === undefined ? brief(block.data) : `${block.data.length}#${known}`;
}

function brief(whole: string): string {
  if (whole.length <= 128) return whole;
  checksum ??= process.getBuiltinModule("node:zlib").crc32;
  return `${whole.length}#${checksum(whole)}`;
}

let checksum: ((data: string) => number) | undefined;

function without(details: unknown, paths: readonly string[]): unknown {
  return paths.reduce((rest, path) => omit(rest, path.split(".")), details);
}

function omit(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof value !== "object" || value === null) return value;
  if (!Object.hasOwn(value, name)) return value;
  const { [name]: member, ...others } = value as Record<string, unknown>;
  return rest.length === 0 ? others : { ...others, [name]: omit(member, rest) };
}
