import type { ApprovalStore, CallRecord } from "@haft/core/kernel";
import { isDeepStrictEqual } from "node:util";
import type { FoundCall } from "../calls/call-row.ts";

/** Whether an agent makes the same call again. */
export function isSameCall(
  one: Pick<CallRecord, "toolName" | "args">,
  other: Pick<CallRecord, "toolName" | "args">,
): boolean {
  return one.toolName === other.toolName && isDeepStrictEqual(one.args, other.args);
}

/** A call that was asked about, once it was answered: what was allowed ran when it was made again, and is a call of its own. */
export function answeredCall(
  call: FoundCall,
  answer: "allow" | "deny",
  { at, by }: { at: number; by?: string | undefined },
): FoundCall {
  const { outcome: _, ...rest } = call;
  const known = { ...rest, endedAt: at, decidedBy: by ?? "a person" };
  if (answer === "allow") return { ...known, status: "completed" };
  return { ...known, status: "failed", outcome: "blocked", code: "APPROVAL_DENIED" };
}

/** What became of it as its request says that; `undefined` while it waits, and where only the next line of the log says what was decided. */
export async function settledCall(
  call: FoundCall,
  approvals: ApprovalStore | undefined,
): Promise<FoundCall | undefined> {
  const found = await approvals?.find?.(call.approvalId!);
  if (found === undefined) return undefined;
  const { agentId, sessionKey, exactKey, expiresAt } = found.request;
  if (found.state === "expired")
    return { ...call, status: "failed", outcome: "cancelled", code: "APPROVAL_TIMEOUT", endedAt: expiresAt };
  if (found.state === "withdrawn") return { ...call, status: "failed", outcome: "cancelled" };
  if (found.state !== "answered") return undefined;
  const kept = await approvals?.keptAnswer?.({ agentId, sessionKey, exactKey: exactKey ?? "" });
  if (kept === undefined || kept.approvalId !== call.approvalId) return undefined;
  const { decision, by } = kept.answer;
  return answeredCall(call, decision === "deny" ? "deny" : "allow", { at: Date.now(), by });
}
