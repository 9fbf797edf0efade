import type { CallRecord, DecidedBy, RecordMode } from "../../contract/ledger-port.ts";
import type { CallPlan } from "../../contract/plan.ts";
import type { Decision, ToolFacts, TraceStep } from "../../contract/policy-port.ts";
import type { ToolOutcome } from "../../contract/result.ts";
import { withoutUndefined } from "../../contract/without-undefined.ts";
import { decidingStep } from "../stages/deciding-step.ts";
import { coverAndCut, coverValue } from "./cover-value.ts";
import type { RecordedCall } from "./recorded-call.ts";
import { resultRecord } from "./result-record.ts";

/** Where a record belongs, and how much of a call is kept in it. */
export interface RecordPlace extends Pick<CallRecord, "seq" | "epoch"> {
  readonly mode: RecordMode;
  /** Without what others say of the call, which cannot be read. */
  readonly isBare?: boolean;
}

/** How a call stands. */
export type CallStanding =
  | { readonly status: "pending"; readonly approvalId: string }
  | { readonly status: "executing"; readonly startedAt: number }
  | { readonly outcome: ToolOutcome };

/** A call as it is kept: all of it, as it now stands. */
export function callRecord(call: RecordedCall, place: RecordPlace, standing: CallStanding): CallRecord {
  const { meta, options } = call;
  const { mode } = place;
  const isWaiting = "status" in standing && standing.status === "pending";
  // What waits for a decision is kept whole: whoever continues the run makes this very call.
  const keeps = isWaiting || mode !== "none";
  const decision = place.isBare === true ? undefined : call.decision && decidedBy(call.decision);
  return withoutUndefined<CallRecord>({
    seq: place.seq,
    toolCallId: call.id,
    answeredAs: call.answeredAs === call.id ? undefined : call.answeredAs,
    epoch: place.epoch,
    toolName: call.toolName,
    ...standingOf(call, standing, mode),
    createdAt: meta.createdAt,
    args: keeps ? (isWaiting ? meta.args : coverArgs(meta.args, mode)) : undefined,
    argsWhole: isWaiting ? true : undefined,
    received: isWaiting ? call.received : undefined,
    argsDigest: call.argsDigest,
    key: call.key || undefined,
    fingerprint: call.fingerprint,
    poll: call.traits().isPoll ? true : undefined,
    changes: call.changesThings() ? true : undefined,
    tool: keeps && call.tool ? toolOf(call.tool.facts) : undefined,
    sender: keeps ? options.sender : undefined,
    decision: keeps ? decision : undefined,
    plan: keeps && call.plan && place.isBare !== true ? planRecord(call.plan, isWaiting, mode) : undefined,
    duplicateOf: meta.duplicateOf,
    parentCallId: meta.parentCallId,
    decidedBy: meta.decidedBy,
    grantIds: meta.grantIds,
    hosts: keeps ? meta.hosts : undefined,
    approvalId: call.approvalId,
    resumed: call.isResumed ? true : undefined,
  });
}

type Standing = Pick<CallRecord, "status" | "startedAt" | "endedAt" | "outcome" | "code" | "category"> &
  Pick<CallRecord, "receipt" | "result">;

function standingOf(
  { meta }: RecordedCall,
  standing: CallStanding,
  mode: RecordMode,
): Partial<Standing> & {
  status: CallRecord["status"];
} {
  if ("status" in standing) {
    return standing.status === "pending"
      ? { status: "pending" }
      : { status: "executing", startedAt: standing.startedAt };
  }
  const { outcome } = standing;
  return {
    status: outcome.kind === "ok" ? "completed" : "failed",
    ...withoutUndefined<Pick<Standing, "startedAt" | "endedAt">>({
      startedAt: meta.startedAt,
      endedAt: meta.endedAt,
    }),
    outcome: outcome.kind,
    ...(outcome.kind !== "ok" && { code: outcome.code }),
    ...(outcome.kind === "error" && { category: outcome.category }),
    receipt: outcome.receipt,
    ...withoutUndefined<Pick<Standing, "result">>({ result: resultRecord(outcome, mode) }),
  };
}

const tools = new WeakMap<ToolFacts, CallRecord["tool"]>();

/** Facts of a tool are frozen, and made once; its parameters are many, and no decision looks at them. */
function toolOf(facts: ToolFacts): CallRecord["tool"] {
  let known = tools.get(facts);
  if (known === undefined) {
    const { id, name, pluginId, optional, effects, groups, builtIn, actions } = facts;
    known = withoutUndefined<NonNullable<CallRecord["tool"]>>({
      id,
      name,
      pluginId,
      optional,
      effects,
      groups,
      builtIn,
      actions,
    });
    tools.set(facts, known);
  }
  return known;
}

const decisions = new WeakMap<Decision, DecidedBy>();

/** Policies answer with the same object as long as nothing they look at is another: its trace is gone through once. */
function decidedBy(decision: Decision): DecidedBy {
  let known = decisions.get(decision);
  if (known === undefined) {
    const { effect, id, reason } = decision;
    const step = stepOf(decision);
    known = withoutUndefined<DecidedBy>({
      ...coverValue({ effect, id, reason }),
      layer: step?.layer,
      rule: step && coverValue(step.rule),
      source: step?.source,
    });
    decisions.set(decision, known);
  }
  return known;
}

/** A policy may be written without types. */
function stepOf(decision: Decision): TraceStep | undefined {
  try {
    return decidingStep(decision.trace);
  } catch {
    return undefined;
  }
}

function planRecord(plan: CallPlan, isWhole: boolean, mode: RecordMode): CallRecord["plan"] {
  const { subjects, consent, binding } = plan;
  const kept = withoutUndefined<NonNullable<CallRecord["plan"]>>({ subjects, consent, binding });
  return isWhole
    ? (JSON.parse(JSON.stringify(kept)) as CallRecord["plan"])
    : (once(plan, mode, () => coverOf(kept, mode)) as CallRecord["plan"]);
}

function coverArgs(args: unknown, mode: RecordMode): unknown {
  if (typeof args !== "object" || args === null) return coverOf(args, mode);
  return once(args, mode, () => coverOf(args, mode));
}

function coverOf(value: unknown, mode: RecordMode): unknown {
  return mode === "full" ? coverValue(value) : coverAndCut(value);
}

const covered: Record<RecordMode, WeakMap<object, unknown>> = {
  plan: new WeakMap(),
  full: new WeakMap(),
  none: new WeakMap(),
};

/** A call that changes things is recorded twice. Neither its arguments nor its plan are changed in between. */
function once(of: object, mode: RecordMode, make: () => unknown): unknown {
  let value = covered[mode].get(of);
  if (value === undefined) covered[mode].set(of, (value = make()));
  return value;
}
