import type { ApprovalState } from "../contract/approval-port.ts";
import type { HaftError } from "../contract/errors.ts";
import { coreError } from "../errors.ts";

export function approvalNotFoundError(approvalId: string, state?: ApprovalState | "unknown"): HaftError {
  const message = SENTENCES[state ?? "untold"](approvalId);
  return coreError("APPROVAL_NOT_FOUND", message, { details: { approvalId, ...(state && { state }) } });
}

const SENTENCES: Readonly<Record<ApprovalState | "unknown" | "untold", (id: string) => string>> = {
  untold: (id) =>
    `No call waits for approval ${id}: it was decided already, its time is over, or it was never asked.`,
  open: (id) => `The approval ${id} is asked for in another session, and has to be decided there.`,
  answered: (id) =>
    `The approval ${id} was decided already; its answer is kept until its session is resumed, or makes the same call again.`,
  decided: (id) => `The approval ${id} was decided already.`,
  withdrawn: (id) =>
    `The approval ${id} was withdrawn: its call was cancelled, so nobody waits for an answer.`,
  expired: (id) => `The time of the approval ${id} is over; its call was not run.`,
  unknown: (id) => `No approval has the id ${id}, or it was over so long ago that nothing is known of it.`,
};
