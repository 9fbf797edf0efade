import { type ApprovalAnswer, type ApprovalRequestRecord, HaftError } from "@haft/core";
import { approvalNotFoundError } from "@haft/core/internal";
import { type ApprovalStore, createMemoryApprovals } from "@haft/core/kernel";
import { type DeliveryStatus, awaitDelivery } from "@haft/host/internal/approvals";
import { didYouMean, nearestNames } from "@haft/utils";
import {
  hasStore,
  type RepairableStore,
  openStoreAt,
  type StoreLocationValues,
  readStoreLocation,
} from "../location/store-location.ts";
import { resumeCommand } from "../run/resume-command.ts";

const NAMED = 10;

export interface OpenApprovals {
  store: ApprovalStore;
  stateStore?: RepairableStore;
}

/** @param keep creates a missing store; by default reading creates no file */
export async function withApprovals<T>(
  values: StoreLocationValues,
  work: (opened: OpenApprovals) => Promise<T>,
  keep = false,
): Promise<T> {
  const location = await readStoreLocation(values);
  const repairable = keep || hasStore(location) ? await openStoreAt(location) : undefined;
  const store = repairable?.approvals ?? createMemoryApprovals();
  try {
    await store.sweep?.();
    await store.allGrants();
    return await work({ store, ...(repairable && { stateStore: repairable }) });
  } finally {
    // An open connection keeps the process alive.
    await repairable?.close();
  }
}

/** Completes "the call waits until …"; `undefined` if only a repeated call gets the answer. */
export async function findContinuation(
  { stateStore }: OpenApprovals,
  { runId, toolCallId }: ApprovalRequestRecord,
): Promise<string | undefined> {
  if (runId === undefined || stateStore === undefined) return undefined;
  const { status } = (await stateStore.ledger.call(runId, toolCallId)) ?? {};
  if (status === "completed" || status === "failed") return undefined;
  const run = await stateStore.ledger.run(runId);
  if (run === undefined) return undefined;
  if (run.openedWith === undefined) return "the program that opened this run continues it.";
  const command = resumeCommand(run);
  return command && `its session is resumed: ${command}`;
}

export async function findRequest({ store }: OpenApprovals, id: string): Promise<ApprovalRequestRecord> {
  const requests = await store.requests();
  const request = requests.find(({ approvalId }) => approvalId === id);
  if (request) return request;
  const found = await store.find?.(id);
  const { code, category, message } = approvalNotFoundError(JSON.stringify(id), found?.state ?? "unknown");
  const ids = requests.map(({ approvalId }) => approvalId);
  throw new HaftError(code, message, { category, fix: whatElse(id, ids) });
}

export async function answerRequest(
  { store }: OpenApprovals,
  { approvalId }: ApprovalRequestRecord,
  answer: ApprovalAnswer,
  withinMs: number,
): Promise<DeliveryStatus> {
  await store.answer(approvalId, answer);
  return awaitDelivery(store, approvalId, withinMs);
}

function whatElse(id: string, ids: readonly string[]): string {
  if (ids.length === 0) return "No call waits now; `haft approvals --watch` asks about new calls.";
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more; \`haft approvals\` lists them` : "";
  return (
    didYouMean(nearestNames(id, ids)).trim() || `Pending calls: ${ids.slice(0, NAMED).join(", ")}${more}.`
  );
}
