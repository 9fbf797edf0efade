import { MAX_APPROVAL_CHARACTERS, getOversizedLength } from "./preview.ts";
import type { ApprovalSubject } from "./subject.ts";
import type { WaitingCall } from "./waiting-call.ts";

export const MAX_WAITING = 64;

export interface Obstacle {
  code: string;
  reason: string;
  fix: string;
  details?: Record<string, unknown>;
}

/** Prevents floods of requests, duplicate requests and unreadable requests. */
export function findObstacle(
  { waiting }: { readonly waiting: ReadonlyMap<string, WaitingCall> },
  { key, plan, args, tool }: Pick<ApprovalSubject, "plan" | "args" | "tool"> & { readonly key: string },
): Obstacle | undefined {
  const characters = getOversizedLength({ plan, args, toolName: tool.facts.name });
  if (characters !== undefined)
    return {
      code: "APPROVAL_TOO_LONG",
      reason: `It needs approval and is too long to read: ${characters} characters, of at most ${MAX_APPROVAL_CHARACTERS}. No approval was requested.`,
      fix: "Split it into smaller calls.",
      details: { characters, limit: MAX_APPROVAL_CHARACTERS },
    };
  for (const { request, call: other } of waiting.values()) {
    if (other.key !== key) continue;
    return {
      code: "APPROVAL_WAITING",
      reason: `This exact call already waits for approval (id ${request.approvalId}).`,
      fix: "Do something else, or tell the user which call waits.",
      details: { approvalId: request.approvalId, duplicateOf: other.id },
    };
  }
  if (waiting.size < MAX_WAITING) return undefined;
  return {
    code: "TOO_MANY_APPROVALS",
    reason: `${waiting.size} calls of this session already wait for approval.`,
    fix: "Decide some of them first.",
  };
}
