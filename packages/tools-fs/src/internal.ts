// For the packages beside this one. Not public: it may change with any version.
export { applyPatchWith } from "./apply-patch/lazy-patch.ts";
export { createChangeEngine, workspaceEngineOptions } from "./changes/lazy-engine.ts";
export type { Rewound } from "./changes/commit/rewind/rewind-contract.ts";
export { withPathLocks } from "./changes/locks/lazy-locks.ts";
export type { ChangeEngine, ChangeEngineOptions, Recovery } from "./changes/plan/change-contract.ts";
export type { ChangeReport } from "./changes/plan/change-report.ts";
export type { TransactionRecord } from "./changes/journal/transaction.ts";
export type { IgnoreRules, RulesAbove } from "./lookup/ignore-rules.ts";
export { ignoreRules } from "./lookup/lazy-rules.ts";
export { diffTexts } from "./changes/text/lazy-diff.ts";
