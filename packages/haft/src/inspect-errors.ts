import type { EffectReceipt, ErrorCategory, ErrorFacts } from "@haft/core";

export type ErrorBuilders = Readonly<
  Record<ErrorCategory, (meaning: string, fix: string, receipt?: EffectReceipt) => ErrorFacts>
>;

export const inspectErrors = (by: ErrorBuilders) => ({
  APPROVAL_DECIDED: by.operational(
    "Somebody was first: the call that a person decides about at the inspector does not wait any more. The details say who.",
    "Nothing; look at what became of it.",
    "none",
  ),
  INSPECT_FILE: by.input(
    "A file of rules was to be tried or saved at the inspector that it does not edit, or with something wrong in it.",
    "Edit one of those that the policy's page lists as editable.",
    "none",
  ),
  INSPECT_SCRATCH: by.operational(
    "A scratch workspace of the inspector cannot be opened; the message says why.",
    "Close one that is open, or begin with other files.",
    "none",
  ),
  POLICY_FILE_CHANGED: by.operational(
    "A file of rules was to be saved at the inspector, and has another content by now. Nothing was written.",
    "Look at what stands in it now, and edit that.",
    "none",
  ),
});
