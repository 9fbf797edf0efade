import type { CallRecord } from "@haft/core/kernel";
import { openSqliteStore } from "@haft/store";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Conversation } from "./conversation.ts";
import type { CrashWorkspace } from "./crash-workspace.ts";
import type { Answer } from "./host-run.ts";
import { type Step, WRITE_BYTES } from "./steps.ts";

/** What a conversation has come to. The first three must be none. */
export interface Verdict {
  /** Calls that were answered, and whose record is missing or says something else. */
  lost: string[];
  /** Calls whose effect is there more than once. */
  twice: string[];
  /** Everything else that does not hold. */
  wrong: string[];
  /** Calls that ended with a receipt `unknown`; of these, whose effect is there. */
  unknown: number;
  unknownDone: number;
  /** Records of calls that only read that are missing behind a gap. */
  readsLost: number;
  gaps: number;
  records: number;
}

type Found = CallRecord & { runId: string };

/** Compares what was answered, what is recorded and what was done. */
export async function verifyConversation(
  conversation: Conversation,
  crashWorkspace: CrashWorkspace,
): Promise<Verdict> {
  const store = openSqliteStore({ path: join(crashWorkspace.state, "haft.db") });
  try {
    const calls = await allCalls(store.ledger);
    const verdict: Verdict = {
      lost: [],
      twice: [],
      wrong: [],
      unknown: 0,
      unknownDone: 0,
      readsLost: 0,
      gaps: calls.filter(({ status }) => status === "gap").length,
      records: calls.length,
    };
    for (const { message } of await store.check()) verdict.wrong.push(message);
    const effects = crashWorkspace.effects();
    for (const step of conversation.steps) judgeCall(step, conversation, calls, effects, verdict);
    judgeReused(conversation, effects, verdict);
    for (const { status, toolCallId } of calls)
      if (status === "executing" || status === "pending")
        verdict.wrong.push(`${toolCallId} is ${status} for ever`);
    judgeRuns(calls, verdict);
    judgeFiles(crashWorkspace, conversation, verdict);
    return verdict;
  } finally {
    await store.close();
  }
}

async function allCalls(ledger: ReturnType<typeof openSqliteStore>["ledger"]): Promise<Found[]> {
  const all: Found[] = [];
  for (let after: string | undefined; ;) {
    const page = await ledger.calls({ limit: 1000, order: "oldest", ...(after !== undefined && { after }) });
    all.push(...page.items);
    if (page.next === undefined) return all;
    after = page.next;
  }
}

function judgeCall(
  step: Step,
  conversation: Conversation,
  calls: readonly Found[],
  effects: ReadonlyMap<string, number>,
  verdict: Verdict,
): void {
  const { id } = step;
  const answers = conversation.answers.get(id) ?? [];
  const [first] = answers;
  if (first === undefined) return void verdict.wrong.push(`${id} was never answered`);
  for (const other of answers.slice(1)) {
    if (other.kind !== first.kind || other.receipt !== first.receipt)
      verdict.lost.push(`${id} was ${shortly(first)}, and then ${shortly(other)}`);
  }
  const record = calls.find(({ toolCallId }) => toolCallId === id);
  if (record === undefined) {
    if (step.reads === true && verdict.gaps > 0) verdict.readsLost++;
    else verdict.lost.push(`${id} has no record`);
  } else if (record.outcome !== first.kind || record.receipt !== first.receipt)
    verdict.lost.push(
      `${id} was ${shortly(first)}, and its record is ${record.outcome} ${record.code} ${record.receipt}`,
    );
  const isCut = first.receipt === "unknown";
  if (isCut && !conversation.cut.has(id)) verdict.wrong.push(`${id} is ${shortly(first)}, and nobody cut it`);
  // Its runner was killed before anything was started.
  const isRefused = first.kind === "error" && first.code === "RUNNER_UNAVAILABLE" && conversation.cut.has(id);
  if (first.kind !== "ok" && !isCut && !isRefused)
    verdict.wrong.push(`${id} is ${shortly(first)}: ${first.content[0]?.text}`);
  if (isCut) verdict.unknown++;
  if (step.reads === true || id === "write-1") return;
  const done = effects.get(id) ?? 0;
  if (isCut) verdict.unknownDone += done;
  if (done > 1) verdict.twice.push(`${id}: ${done} times`);
  if (done > 0 && first.receipt === "none") verdict.wrong.push(`${id} is ${shortly(first)}, and was done`);
  if (done === 0 && first.kind === "ok" && step.later !== true)
    verdict.lost.push(`${id} is ok, and was not done`);
}

function shortly({ kind, code = "", receipt }: Answer): string {
  return [kind, code, receipt].filter((word) => word !== "").join(" ");
}

function judgeReused({ reused }: Conversation, effects: ReadonlyMap<string, number>, verdict: Verdict): void {
  for (const [text, answer] of reused) {
    const done = effects.get(text) ?? 0;
    if (done > 1) verdict.twice.push(`${text}: ${done} times`);
    if (answer === undefined) continue;
    if (answer.kind !== "ok" && answer.receipt !== "unknown")
      verdict.wrong.push(`${text} is ${shortly(answer)}: ${answer.content[0]?.text}`);
    if (answer.kind === "ok" && (done === 0 || answer.replayed === true))
      verdict.lost.push(`${text} is ok, and was not done`);
  }
}

/** One run, its places without gaps but for those of reads that a gap row stands for. */
function judgeRuns(calls: readonly Found[], verdict: Verdict): void {
  const runs = new Set(calls.map(({ runId }) => runId));
  if (runs.size > 1) verdict.wrong.push(`${runs.size} runs`);
  const positions = new Set<number>();
  for (const { seq, toolCallId } of calls) {
    if (positions.has(seq)) verdict.wrong.push(`${toolCallId} has the place ${seq} of another`);
    positions.add(seq);
  }
}

/** No file is half written, and nothing lies beside them. */
function judgeFiles(
  { workspace }: CrashWorkspace,
  { answers }: Conversation,
  { lost, wrong }: Verdict,
): void {
  const left = readdirSync(workspace).filter((name) => name.includes(".haft-"));
  if (left.length > 0) wrong.push(`${left.join(", ")} in the workspace`);
  const path = join(workspace, "whole.txt");
  if (!existsSync(path)) {
    if (answers.get("write-1")?.[0]?.kind === "ok") lost.push("write-1 is ok, and there is no file");
    return;
  }
  const whole = readFileSync(path, "utf8");
  if (whole !== "w".repeat(WRITE_BYTES)) wrong.push(`whole.txt has ${whole.length} characters`);
}
