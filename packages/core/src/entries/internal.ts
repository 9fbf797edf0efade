// For the packages beside this one. Not public: it may change with any version.
export { breakLine, choicesOf } from "../approvals/format-approval.ts";
export { approvalNotFound } from "../approvals/memory-approvals.ts";
export { requireAnswer, requireOffer } from "../approvals/read-answer.ts";
export { foldersFromHere } from "../bound/folders-from-here.ts";
export { changesFiles, mapFileSystem } from "../compose/map-file-system.ts";
export { mapProcesses } from "../compose/map-processes.ts";
export { describeContainment } from "../explain/describe-containment.ts";
export { isDisplayVariable } from "../format/display-variables.ts";
export { redactSecrets, secretsNote } from "../format/redact.ts";
export { escapeInvisible } from "../format/visible-text.ts";
export { MODEL, SESSION_ENVIRONMENT, SESSION_OPTIONS } from "../session/session-options.ts";
export { decidingStep } from "../kernel/stages/deciding-step.ts";
export { checkOptions, invalidOptions, optionsSchema } from "../parameters/check-options.ts";
export type { OptionSchema, OptionSchemas } from "../parameters/check-options.ts";
export { checkValue } from "../parameters/check-value.ts";
export type { Issue } from "../parameters/schema/issues.ts";
export { didYouMean, nearestNames } from "../parameters/schema/nearest.ts";
export { compileWildcard, escapeWildcard, matchesWildcard, type Wildcard } from "../patterns/wildcard.ts";
