import type { ApprovalState } from "../contract/approval-port.ts";
import type { HaftError } from "../contract/errors.ts";
import { coreError } from "../errors.ts";

export function approvalNotFoundError(approvalId: string, state?: ApprovalState | "unknown"): HaftError {
  const message = SENTENCES[state ?? "untold"](approvalId);
  return coreError("APPROVAL_NOT_FOUND", message, {
    details: { approvalId, ...(state && { state }) },
    ...(state === "open" && { fix: `Decide it there, or with \`haft approvals answer ${approvalId}\`.` }),
  });
}

const SENTENCES: Readonly<Record<ApprovalState | "unknown" | "untold", (id: string) => string>> = {
  untold: (id) => `No call waits for approval ${id}: it was decided, it expired, or it never existed.`,
  open: (id) => `The approval ${id} belongs to another session, which can be in another program.`,
  answered: (id) =>
    `The approval ${id} was already decided. The answer is stored until its session is resumed or makes the same call again.`,
  decided: (id) => `The approval ${id} was already decided.`,
  withdrawn: (id) => `The approval ${id} was withdrawn: its call was cancelled.`,
  expired: (id) => `The approval ${id} expired; its call did not run.`,
  unknown: (id) => `No approval has the id ${id}, or it was closed long ago and deleted.`,
};
