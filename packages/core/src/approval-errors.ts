import type { ErrorFacts } from "./contract/define-errors.ts";
import type { EffectReceipt, ErrorCategory } from "./contract/errors.ts";

type By = Readonly<
  Record<ErrorCategory, (meaning: string, fix: string, receipt?: EffectReceipt) => ErrorFacts>
>;

/** Those of calls that a person has to decide about, a part of the catalogue. */
export const approvalErrors = (by: By) => ({
  APPROVALS_UNREADABLE: by.operational(
    "What was allowed before could not be read, so it does not count: the call is asked about. A warning beside the answer.",
    "Repair the store: the warning names the file or folder. `haft approvals` lists what is damaged.",
  ),
  APPROVAL_DENIED: by.policy(
    "Somebody was asked and said no. Nothing was run.",
    "Do it another way, or ask the user what they prefer.",
  ),
  APPROVAL_ID_TAKEN: by.internal(
    "The id of a new request or grant is taken already, or cannot be one.",
    "Ask again: it gets another id.",
  ),
  APPROVAL_NOT_FOUND: by.input(
    "No call waits for this approval: it was decided already, its time is over, it was withdrawn, or it was never asked.",
    "List the waiting ones, with `haft approvals` or pendingApprovals().",
  ),
  APPROVAL_NOT_STORED: by.operational(
    "The request could not be kept where somebody else would see it; only an approver in this program can decide. A warning beside the answer.",
    "Make the folder of the approvals writable, or name another with `--state`.",
  ),
  APPROVAL_OUTDATED: by.policy(
    "A call that waited for approval when its run was left is not what was shown any more: the message says what is another. Nothing was run.",
    "Make the call again, so that it is decided about as things are now.",
    "none",
  ),
  APPROVAL_TIMEOUT: by.policy(
    "Nobody decided in time. Nothing was run.",
    "Ask again when somebody is there, or set a longer time.",
  ),
  APPROVAL_TOO_LONG: by.policy(
    "The call needs approval, and what a person would have to read of it is longer than 256 KiB. Nobody was asked, and nothing was run.",
    "Do it in several smaller calls, or write the rules so that nobody has to be asked about it.",
  ),
  APPROVAL_UNAVAILABLE: by.policy(
    "The call needs approval, and nobody can be asked in this session.",
    "Do it another way, or run it where somebody can answer.",
  ),
  APPROVAL_WAITING: by.policy(
    "The very same call waits for approval already.",
    "Go on with something else until it is decided.",
  ),
});
