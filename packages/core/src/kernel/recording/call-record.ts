import { withoutUndefined } from "@haft/utils";
import type { CallRecord, DecidedBy, RecordMode } from "../../contract/ledger-port.ts";
import type { CallPlan } from "../../contract/plan.ts";
import type { Decision, ToolFacts, TraceStep } from "../../contract/policy-port.ts";
import { contentToText, type ToolOutcome, type ToolResult } from "../../contract/result.ts";
import { copyArguments } from "../../parameters/copy-json.ts";
import { findDecisiveStep } from "../stages/find-decisive-step.ts";
import { maskAndTruncate, maskSecrets, toResultHead } from "./mask-value.ts";
import type { RecordedCall } from "./recorded-call.ts";

export interface RecordPosition extends Pick<CallRecord, "seq" | "epoch"> {
  readonly mode: RecordMode;
  readonly isBare?: boolean;
}

export type CallState =
  | { readonly status: "pending"; readonly approvalId: string }
  | { readonly status: "executing"; readonly startedAt: number }
  | { readonly outcome: ToolOutcome };

type Draft = { -readonly [Key in keyof CallRecord]: CallRecord[Key] };

export function callRecord(call: RecordedCall, position: RecordPosition, standing: CallState): CallRecord {
  const { seq, epoch, mode } = position;
  const { createdAt } = call.meta;
  const { id: toolCallId, toolName } = call;
  const record: Draft = { seq, toolCallId, epoch, toolName, status: "pending", createdAt };
  addStanding(record, call, standing, mode);
  addIdentity(record, call);
  const isWaiting = "status" in standing && standing.status === "pending";
  // A resume makes a waiting call from its record.
  if (isWaiting || mode !== "none") addSubject(record, call, position, isWaiting);
  return record;
}

function addStanding(record: Draft, { meta }: RecordedCall, standing: CallState, mode: RecordMode): void {
  if ("status" in standing) {
    record.status = standing.status;
    if (standing.status === "executing") record.startedAt = standing.startedAt;
    return;
  }
  const { outcome } = standing;
  record.status = outcome.kind === "ok" ? "completed" : "failed";
  record.outcome = outcome.kind;
  record.receipt = outcome.receipt;
  if (meta.startedAt !== undefined) record.startedAt = meta.startedAt;
  if (meta.endedAt !== undefined) record.endedAt = meta.endedAt;
  if (outcome.kind !== "ok") record.code = outcome.code;
  if (outcome.kind === "error") record.category = outcome.category;
  const result = resultRecord(outcome, mode);
  if (result !== undefined) record.result = result;
}

function addIdentity(record: Draft, call: RecordedCall): void {
  const { meta, argsDigest, key, fingerprint, approvalId } = call;
  if (call.answeredAs !== call.id) record.answeredAs = call.answeredAs;
  if (argsDigest !== undefined) record.argsDigest = argsDigest;
  if (key !== "") record.key = key;
  if (fingerprint !== undefined) record.fingerprint = fingerprint;
  if (approvalId !== undefined) record.approvalId = approvalId;
  if (call.traits().isPoll) record.poll = true;
  if (call.changesThings()) record.changes = true;
  if (call.isResumed) record.resumed = true;
  if (meta.duplicateOf !== undefined) record.duplicateOf = meta.duplicateOf;
  if (meta.parentCallId !== undefined) record.parentCallId = meta.parentCallId;
  if (meta.decidedBy !== undefined) record.decidedBy = meta.decidedBy;
  if (meta.grantIds !== undefined) record.grantIds = meta.grantIds;
}

function addSubject(record: Draft, call: RecordedCall, position: RecordPosition, isWaiting: boolean): void {
  const { meta, options, tool, decision, plan } = call;
  const { mode, isBare = false } = position;
  if (isWaiting) {
    record.args = copyArguments(meta.args);
    record.argsWhole = true;
    record.received = call.received;
  } else record.args = coveredArgs(call, mode);
  if (tool !== undefined) record.tool = toolOf(tool.facts);
  if (options.sender !== undefined) record.sender = options.sender;
  if (meta.hosts !== undefined) record.hosts = meta.hosts;
  if (isBare) return;
  if (decision !== undefined) record.decision = decidedBy(decision);
  if (plan === undefined) return;
  record.plan = isWaiting
    ? (JSON.parse(JSON.stringify(planParts(plan))) as PlanRecord)
    : coveredPlan(call, plan, mode);
}

const tools = new WeakMap<ToolFacts, NonNullable<CallRecord["tool"]>>();

function toolOf(facts: ToolFacts): NonNullable<CallRecord["tool"]> {
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

function decidedBy(decision: Decision): DecidedBy {
  let known = decisions.get(decision);
  if (known === undefined) {
    const { effect, id, reason } = decision;
    const step = stepOf(decision);
    known = withoutUndefined<DecidedBy>({
      ...maskSecrets({ effect, id, reason }),
      layer: step?.layer,
      rule: step && maskSecrets(step.rule),
      source: step?.source,
    });
    decisions.set(decision, known);
  }
  return known;
}

function stepOf(decision: Decision): TraceStep | undefined {
  try {
    return findDecisiveStep(decision.trace);
  } catch {
    return undefined;
  }
}

type PlanRecord = NonNullable<CallRecord["plan"]>;

function planParts({ subjects, consent, binding }: CallPlan): PlanRecord {
  return withoutUndefined<PlanRecord>({ subjects, consent, binding });
}

function coverOf(value: unknown, mode: RecordMode): unknown {
  return mode === "full" ? maskSecrets(value) : maskAndTruncate(value);
}

/** Masks only once: the start and the end use the same arguments. */
function coveredArgs({ meta, masked }: RecordedCall, mode: RecordMode): unknown {
  if (masked.argsSource !== meta.args) {
    masked.argsSource = meta.args;
    masked.args = coverOf(meta.args, mode);
  }
  return masked.args;
}

function coveredPlan({ masked }: RecordedCall, plan: CallPlan, mode: RecordMode): PlanRecord {
  if (masked.planSource !== plan) {
    masked.planSource = plan;
    masked.plan = coverOf(planParts(plan), mode) as PlanRecord;
  }
  return masked.plan!;
}

function resultRecord(
  { content, details }: Pick<ToolResult, "content" | "details">,
  mode: RecordMode,
): CallRecord["result"] {
  if (mode === "none") return undefined;
  if (mode === "plan") return toResultHead(textOfJson({ content, details }), contentToText(content), details);
  return maskSecrets({ content, details: readable(details) });
}

function textOfJson({ content, details }: Pick<ToolResult, "content" | "details">): string {
  try {
    return JSON.stringify({ content, details });
  } catch {
    return JSON.stringify({ content, details: UNREADABLE });
  }
}

function readable(details: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(details)) as unknown;
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE = { unreadable: true };
