import type { CallRecord } from "@haft/core/kernel";
import { allCalls, changedFiles, isHead, getResultText } from "@haft/history/ledger";
import { normaliseText } from "@haft/history/replay";
import { diffTexts } from "@haft/tools-fs/engine";
import { inspectorError } from "../errors.ts";
import type { ComparedCall, RunComparison } from "../wire/api.ts";
import { callRow, type CallWithRun } from "./calls/call-row.ts";
import type { InspectionContext } from "./inspection-context.ts";
import { findRunView } from "./runs/run-view.ts";

const MAX = 5_000;
/** Limits the search for a common order; the rest keeps its order. */
const MAX_PAIRS = 4_000_000;
const MAX_DIFF = 20_000;
const MAX_SHOWN = 200;

export async function compareRuns(
  looking: InspectionContext,
  request: { a: string; b: string },
): Promise<RunComparison> {
  const [a, b] = await Promise.all([findRunView(looking, request.a), findRunView(looking, request.b)]);
  for (const [name, run] of [
    [request.a, a],
    [request.b, b],
  ] as const)
    if (run === undefined) throw inspectorError("RUN_NOT_FOUND", `There is no run ${JSON.stringify(name)}.`);
  const [left, right] = await Promise.all([callsOf(looking, request.a), callsOf(looking, request.b)]);
  const rows: ComparedCall[] = [];
  const counts = { same: 0, differs: 0, unsaid: 0, "only-a": 0, "only-b": 0 };
  for (const pair of paired(left.calls, right.calls)) {
    const row = await compared(pair, counts.differs < MAX_SHOWN);
    counts[row.verdict]++;
    rows.push(row);
  }
  return { a: a!, b: b!, rows, counts, ...((left.isCut || right.isCut) && { isCut: true }) };
}

async function callsOf(
  { ledger }: InspectionContext,
  runId: string,
): Promise<{ calls: CallWithRun[]; isCut: boolean }> {
  const calls: CallWithRun[] = [];
  for await (const call of allCalls(ledger(), { runId, order: "oldest" })) {
    if (call.status === "gap") continue;
    if (calls.length === MAX) return { calls, isCut: true };
    calls.push(call);
  }
  return { calls, isCut: false };
}

interface Pair {
  a?: CallWithRun;
  b?: CallWithRun;
}

function identityOf({ key, toolName, args }: CallRecord): string {
  return `${toolName} ${key ?? JSON.stringify(args) ?? ""}`;
}

/** The longest common subsequence, without equal calls at both ends. */
function paired(a: readonly CallWithRun[], b: readonly CallWithRun[]): Pair[] {
  const [left, right] = [a.map(identityOf), b.map(identityOf)];
  let start = 0;
  while (start < a.length && start < b.length && left[start] === right[start]) start++;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    left[a.length - 1 - end] === right[b.length - 1 - end]
  )
    end++;
  const both = (from: number, to: number, shift: number): Pair[] =>
    a.slice(from, to).map((call, index) => ({ a: call, b: b[from + shift + index]! }));
  const inner = between(
    { calls: a.slice(start, a.length - end), keys: left.slice(start, a.length - end) },
    { calls: b.slice(start, b.length - end), keys: right.slice(start, b.length - end) },
  );
  return [...both(0, start, 0), ...inner, ...both(a.length - end, a.length, b.length - a.length)];
}

interface Side {
  calls: readonly CallWithRun[];
  keys: readonly string[];
}

function between(a: Side, b: Side): Pair[] {
  const [rows, columns] = [a.calls.length, b.calls.length];
  if (rows * columns > MAX_PAIRS || rows === 0 || columns === 0)
    return [...a.calls.map((call): Pair => ({ a: call })), ...b.calls.map((call): Pair => ({ b: call }))];
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      lengths[i * width + j] =
        a.keys[i] === b.keys[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < rows && j < columns) {
    if (a.keys[i] === b.keys[j]) pairs.push({ a: a.calls[i++]!, b: b.calls[j++]! });
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) pairs.push({ a: a.calls[i++]! });
    else pairs.push({ b: b.calls[j++]! });
  }
  while (i < rows) pairs.push({ a: a.calls[i++]! });
  while (j < columns) pairs.push({ b: b.calls[j++]! });
  return pairs;
}

async function compared({ a, b }: Pair, showDiff: boolean): Promise<ComparedCall> {
  if (a === undefined) return { b: callRow(b!), verdict: "only-b" };
  if (b === undefined) return { a: callRow(a), verdict: "only-a" };
  const rows = { a: callRow(a), b: callRow(b) };
  const [then, now] = [endOf(a), endOf(b)];
  if (then !== now)
    return {
      ...rows,
      verdict: "differs",
      why: `it ended with ${then} on the left and with ${now} on the right`,
    };
  const why = await whatDiffers(a, b, showDiff);
  if (why !== undefined) return { ...rows, verdict: "differs", ...why };
  const isWhole = [a, b].every(({ result }) => result !== undefined && !isHead(result));
  const isSame = isWhole || sameHash(a, b);
  return {
    ...rows,
    verdict: isSame ? "same" : "unsaid",
    ...(!isSame && { why: "the recorded results are incomplete" }),
  };
}

function endOf({ outcome, status, code }: CallRecord): string {
  return `${outcome ?? status}${code === undefined ? "" : ` (${code})`}`;
}

function sameHash(a: CallRecord, b: CallRecord): boolean {
  return (
    a.result !== undefined &&
    b.result !== undefined &&
    isHead(a.result) &&
    isHead(b.result) &&
    a.result.sha256 === b.result.sha256
  );
}

async function whatDiffers(
  a: CallRecord,
  b: CallRecord,
  showDiff: boolean,
): Promise<{ why: string; diff?: string } | undefined> {
  const parts = [
    ["the results differ", resultText(a), resultText(b)],
    ["the changes of files differ", filesText(a), filesText(b)],
  ] as const;
  for (const [why, before, after] of parts) {
    if (before === after) continue;
    if (!showDiff) return { why };
    const diff = await diffTexts({ before: "left", after: "right" }, before, after);
    return { why, ...(diff !== undefined && { diff: diff.slice(0, MAX_DIFF) }) };
  }
  return undefined;
}

function resultText({ result }: CallRecord): string {
  return result === undefined ? "" : normaliseText(getResultText(result));
}

function filesText(call: CallRecord): string {
  return changedFiles(call)
    .map(({ path, kind, diff = "" }) => `${kind} ${path}\n${diff}`)
    .join("\n");
}
