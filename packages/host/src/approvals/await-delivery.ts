import type { ApprovalStore } from "@haft/core/kernel";

export type DeliveryStatus = "taken" | "kept" | "too late";

/** Waits for a store to deliver an answer. @param withinMs how long the session may be busy */
export async function awaitDelivery(
  store: ApprovalStore,
  approvalId: string,
  withinMs: number,
): Promise<DeliveryStatus> {
  if (await store.awaitDelivery?.(approvalId, withinMs)) return "taken";
  return (await store.find?.(approvalId))?.state === "answered" ? "kept" : "too late";
}
