import { maskSecrets, reevaluateCall } from "@haft/core/internal/records";
import type { CallRecord, Session } from "@haft/core/kernel";
import { changedFiles, formatPlanLines, isHead } from "@haft/history/ledger";
import { withoutUndefined } from "@haft/utils";
import type { CallDetail, CallResult, CallTrace, FileChange, ResultBlock, TextPage } from "../../wire/api.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { toExplainedDecision } from "../policy/explained-decision.ts";
import { callFromMeta } from "../runs/live-ledger.ts";
import type { InspectedCallNotes } from "./call-notes.ts";
import { callRow, type CallWithRun } from "./call-row.ts";
import { cutBytes } from "./cut-bytes.ts";

const KIB = 1024;
/** Bytes of a text with the call. */
const FIRST = 64 * KIB;
const MAX_DETAILS = 64 * KIB;
/** Recorded characters of a result, and characters inspected for them. */
const HEAD = 2_000;
const HEAD_LOOKED = 4_000;
const MAX_DIFF = 200_000;
const MAX_CHILDREN = 200;

interface Named {
  runId: string;
  toolCallId: string;
}

export async function findCall(
  looking: InspectionContext,
  { runId, toolCallId }: Named,
): Promise<CallWithRun | undefined> {
  const ledger = looking.ledger();
  const live = looking.live(runId)?.session;
  // Records may not be written yet.
  const call =
    (await live?.findRecord(toolCallId)) ??
    (await ledger.call(runId, toolCallId)) ??
    ofSession(live, toolCallId);
  if (call === undefined) return undefined;
  const sessionKey = live?.key ?? (await ledger.run(runId))?.sessionKey ?? "";
  // Only a waiting call's result is masked.
  const { result, ...rest } = call;
  return { ...maskSecrets(rest), ...(result && { result }), runId, sessionKey };
}

/** Read-only calls are recorded at their end. */
function ofSession(live: Session | undefined, toolCallId: string): CallRecord | undefined {
  const meta = live?.ledger().findLast((one) => one.toolCallId === toolCallId);
  return meta && callFromMeta(meta, 0);
}

export async function callDetail(
  looking: InspectionContext,
  named: Named,
  notes: InspectedCallNotes,
): Promise<CallDetail | undefined> {
  const call = await findCall(looking, named);
  if (call === undefined) return undefined;
  return withoutUndefined<CallDetail>({
    ...recordedDetail(call),
    warnings: notes.get(toCallKey(named)),
    children: (await childrenOf(looking, call)).map(callRow),
    processId: findProcessId(looking, call),
  });
}

export function recordedDetail(call: CallWithRun): CallDetail {
  const { tool, args, plan, result, decision } = call;
  return withoutUndefined<CallDetail>({
    ...callRow(call),
    epoch: call.epoch,
    tool: tool && withoutUndefined(pick(tool)),
    args,
    answeredAs: call.answeredAs,
    category: call.category,
    sender: call.sender,
    decided: decision,
    plan:
      plan &&
      withoutUndefined({ lines: formatPlanLines(call), subjects: plan.subjects, consent: plan.consent }),
    files: fileChanges(call),
    result: result && resultShown(result),
    grantIds: call.grantIds,
    hosts: call.hosts,
    resumed: call.resumed,
    children: [],
  });
}

function pick({ id, pluginId, effects, builtIn, mcp }: NonNullable<CallRecord["tool"]>) {
  return { id, pluginId, effects, builtIn, mcp };
}

export function fileChanges(call: CallRecord): FileChange[] {
  return changedFiles(call).map(({ diff, ...file }) =>
    withoutUndefined<FileChange>({
      ...file,
      diff: diff?.slice(0, MAX_DIFF),
      isCut: (diff?.length ?? 0) > MAX_DIFF ? true : undefined,
    }),
  );
}

function resultShown(result: NonNullable<CallRecord["result"]>): CallResult {
  if (isHead(result)) {
    // A head below its limit is complete.
    const isTextWhole = result.bytes < HEAD_LOOKED && result.head.length < HEAD;
    const texts = [result.head, ...(result.tail === undefined ? [] : ["[…]", result.tail])];
    const blocks = texts.map((text) => ({ type: "text" as const, text, bytes: Buffer.byteLength(text) }));
    return { kept: "head", bytes: result.bytes, blocks, ...(isTextWhole && { isTextWhole }) };
  }
  const details = JSON.stringify(result.details) ?? "";
  const blocks = result.content.map((block): ResultBlock => {
    if (block.type === "image")
      return { type: "image", mimeType: block.mimeType, bytes: Buffer.byteLength(block.data, "base64") };
    const whole = Buffer.from(block.text);
    const { text } = cutBytes(whole, 0, FIRST);
    const { language } = block;
    return { type: "text", text, bytes: whole.length, ...(language !== undefined && { language }) };
  });
  return {
    kept: "whole",
    bytes: Buffer.byteLength(JSON.stringify(result)),
    blocks,
    ...(details.length <= MAX_DETAILS && { details: result.details }),
  };
}

async function childrenOf({ ledger }: InspectionContext, call: CallWithRun): Promise<CallWithRun[]> {
  const { runId, toolCallId, createdAt, endedAt, parentCallId } = call;
  if (call.tool?.builtIn === true || parentCallId !== undefined) return [];
  const until = endedAt === undefined ? {} : { until: endedAt + 1 };
  const { items } = await ledger().calls({
    runId,
    since: createdAt,
    ...until,
    limit: 1_000,
    order: "oldest",
  });
  return items.filter((one) => one.parentCallId === toolCallId).slice(0, MAX_CHILDREN);
}

export function findProcessId(
  looking: InspectionContext,
  { runId, toolCallId, result }: CallWithRun,
): string | undefined {
  const whole = result !== undefined && !isHead(result) ? result : undefined;
  const remembered = looking
    .live(runId)
    ?.session.ledger()
    .findLast((one) => one.toolCallId === toolCallId)?.result;
  const known = remembered !== undefined && "details" in remembered ? remembered : undefined;
  return sessionIdIn(whole?.details) ?? sessionIdIn(known?.details);
}

function sessionIdIn(details: unknown): string | undefined {
  const { sessionId } = (details ?? {}) as { sessionId?: unknown };
  return typeof sessionId === "string" ? sessionId : undefined;
}

export async function resultText(
  looking: InspectionContext,
  named: Named & { block: number },
  { from, max }: { from: number; max: number },
): Promise<TextPage | undefined> {
  const result = (await findCall(looking, named))?.result;
  if (result === undefined) return undefined;
  const text = isHead(result) ? result.head : textIn(result.content[named.block]);
  if (text === undefined) return undefined;
  return { ...cutBytes(Buffer.from(text), from, max), dropped: 0, open: false, source: "ledger" };
}

function textIn(block: { type: string; text?: string } | undefined): string | undefined {
  return block?.type === "text" ? block.text : undefined;
}

export async function resultImage(
  looking: InspectionContext,
  named: Named & { block: number },
): Promise<{ mimeType: string; bytes: Uint8Array } | undefined> {
  const result = (await findCall(looking, named))?.result;
  const block = result === undefined || isHead(result) ? undefined : result.content[named.block];
  if (block?.type !== "image") return undefined;
  return { mimeType: block.mimeType, bytes: Buffer.from(block.data, "base64") };
}

export async function callTrace(looking: InspectionContext, named: Named): Promise<CallTrace | undefined> {
  const ledger = looking.ledger();
  const live = looking.live(named.runId)?.session;
  const call =
    (await live?.findRecord(named.toolCallId)) ?? (await ledger.call(named.runId, named.toolCallId));
  if (call === undefined) return undefined;
  const facts = live?.facts ?? (await ledger.run(named.runId))?.facts;
  if (facts === undefined) return { unknown: "The session of the call is unknown." };
  const decided = reevaluateCall(call, { facts }, looking.host.policy);
  if ("unknown" in decided) return { unknown: `There is no decision: ${decided.unknown}.` };
  return { is: maskSecrets(toExplainedDecision(decided.decision)) };
}

export function toCallKey({ runId, toolCallId }: { runId: string; toolCallId: string }): string {
  return `${runId} ${toolCallId}`;
}
