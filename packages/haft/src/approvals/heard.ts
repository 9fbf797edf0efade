import type { ApprovalStore } from "@haft/core/kernel";

export type Heard = "taken" | "kept" | "too late";

/** What became of an answer that was given to a store. @param withinMs whoever asked may be busy for so long */
export async function whetherHeard(
  store: ApprovalStore,
  approvalId: string,
  withinMs: number,
): Promise<Heard> {
  if (await store.wasHeard?.(approvalId, withinMs)) return "taken";
  return (await store.find?.(approvalId))?.state === "answered" ? "kept" : "too late";
}
