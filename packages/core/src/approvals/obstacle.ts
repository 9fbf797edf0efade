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
      reason: `It needs approval, and is too long for a person to read: ${characters} characters, of at most ${MAX_APPROVAL_CHARACTERS}. Nobody was asked.`,
      fix: "Do it in several smaller calls.",
      details: { characters, limit: MAX_APPROVAL_CHARACTERS },
    };
  for (const { request, call: other } of waiting.values()) {
    if (other.key !== key) continue;
    return {
      code: "APPROVAL_WAITING",
      reason: `This exact call waits for approval already (id ${request.approvalId}).`,
      fix: "Go on with something else, or tell the user what waits for them.",
      details: { approvalId: request.approvalId, duplicateOf: other.id },
    };
  }
  if (waiting.size < MAX_WAITING) return undefined;
  return {
    code: "TOO_MANY_APPROVALS",
    reason: `${waiting.size} calls of this session wait for approval already.`,
    fix: "Have some of them decided first.",
  };
}
