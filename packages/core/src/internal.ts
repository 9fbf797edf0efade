// For the packages beside this one. Not public: it may change with any version.
export { breakLine, choicesOf } from "./approvals/format-approval.ts";
export { approvalNotFound } from "./approvals/memory-approvals.ts";
export { isShownWhole, promptText } from "./approvals/preview.ts";
export { requireAnswer, requireOffer } from "./approvals/read-answer.ts";
export { checkOption, checkOptions } from "./compose/check-options.ts";
export type { OptionCheck, OptionChecks } from "./compose/check-options.ts";
export { nearestNames } from "./compose/nearest.ts";
export { onlyChangesLooks } from "./format/looks.ts";
export { redactSecrets, secretsNote } from "./format/redact.ts";
export { escapeInvisible } from "./format/visible-text.ts";
export { SESSION_ENVIRONMENT, SESSION_OPTIONS } from "./kernel/session-factory.ts";
export { decidingStep } from "./kernel/stages/deciding-step.ts";
