import type { ApprovalStore } from "@haft/core/kernel";

export type DeliveryStatus = "taken" | "kept" | "too late";

/** Waits for the delivery of an answer in a store. @param withinMs the session may be busy for so long */
export async function awaitDelivery(
  store: ApprovalStore,
  approvalId: string,
  withinMs: number,
): Promise<DeliveryStatus> {
  if (await store.awaitDelivery?.(approvalId, withinMs)) return "taken";
  return (await store.find?.(approvalId))?.state === "answered" ? "kept" : "too late";
}
