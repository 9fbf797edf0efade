import { type ApprovalAnswer, type ApprovalRequestRecord, HaftError } from "@haft/core";
import { approvalNotFound, didYouMean, nearestNames } from "@haft/core/internal";
import { type ApprovalStore, createMemoryApprovals } from "@haft/core/kernel";
import { type Heard, whetherHeard } from "../../approvals/heard.ts";
import { isKept, type KeptStore, openPlace, type PlaceValues, readPlace } from "../place/kept-store.ts";
import { resumeCommand } from "../run/resume-command.ts";

const NAMED = 10;

export interface OpenApprovals {
  store: ApprovalStore;
  kept?: KeptStore;
}

/** @param keep make what is not there yet; otherwise nothing is made by looking */
export async function withApprovals<T>(
  values: PlaceValues,
  work: (opened: OpenApprovals) => Promise<T>,
  keep = false,
): Promise<T> {
  const place = await readPlace(values);
  const kept = keep || isKept(place) ? await openPlace(place) : undefined;
  const store = kept?.approvals ?? createMemoryApprovals();
  try {
    await store.sweep?.();
    // Whatever is asked: what cannot be read among what was allowed is told of.
    await store.allGrants();
    return await work({ store, ...(kept && { kept }) });
  } finally {
    // A connection would keep the program.
    await kept?.close();
  }
}

export async function howToResume(
  { kept }: OpenApprovals,
  { runId, toolCallId }: ApprovalRequestRecord,
): Promise<string | undefined> {
  if (runId === undefined || kept === undefined) return undefined;
  const { status } = (await kept.ledger.call(runId, toolCallId)) ?? {};
  if (status === "completed" || status === "failed") return undefined;
  const run = await kept.ledger.run(runId);
  return run && resumeCommand(run);
}

/** @throws HaftError `APPROVAL_NOT_FOUND`, with what is known of the id */
export async function findRequest({ store }: OpenApprovals, id: string): Promise<ApprovalRequestRecord> {
  const requests = await store.requests();
  const request = requests.find(({ approvalId }) => approvalId === id);
  if (request) return request;
  const found = await store.find?.(id);
  const { code, category, message } = approvalNotFound(JSON.stringify(id), found?.state ?? "unknown");
  const ids = requests.map(({ approvalId }) => approvalId);
  throw new HaftError(code, message, { category, fix: whatElse(id, ids) });
}

export async function answerRequest(
  { store }: OpenApprovals,
  { approvalId }: ApprovalRequestRecord,
  answer: ApprovalAnswer,
  withinMs: number,
): Promise<Heard> {
  await store.answer(approvalId, answer);
  return whetherHeard(store, approvalId, withinMs);
}

function whatElse(id: string, ids: readonly string[]): string {
  if (ids.length === 0) return "None waits now; `haft approvals --watch` asks when one comes.";
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more; \`haft approvals\` lists them` : "";
  return didYouMean(nearestNames(id, ids)).trim() || `These wait: ${ids.slice(0, NAMED).join(", ")}${more}.`;
}
