import type { ApprovalStore } from "@haft/core/kernel";

export type DeliveryStatus = "taken" | "kept" | "too late";

/** What became of an answer that was given to a store. @param withinMs whoever asked may be busy for so long */
export async function awaitDelivery(
  store: ApprovalStore,
  approvalId: string,
  withinMs: number,
): Promise<DeliveryStatus> {
  if (await store.awaitDelivery?.(approvalId, withinMs)) return "taken";
  return (await store.find?.(approvalId))?.state === "answered" ? "kept" : "too late";
}
