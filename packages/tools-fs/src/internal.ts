// For packages of this repository. Not public: it may change with any version. Modules are loaded on first use.
import type { applyPatchWith as ApplyPatchWith } from "./apply-patch/apply-patch-text.ts";
import type { withPathLocks as WithPathLocks } from "./changes/locks/path-locks.ts";
import type { ChangeEngine, ChangeEngineOptions } from "./changes/plan/change-contract.ts";
import type { diffTexts as DiffTexts } from "./changes/text/content-diff.ts";
import type { ignoreRules as IgnoreRulesOf } from "./lookup/ignore-rules.ts";
import { lazyModule } from "./scheduling/lazy-tool.ts";

export type { RewindResult } from "./changes/plan/change-contract.ts";
export type { ChangeEngine, ChangeEngineOptions, Recovery } from "./changes/plan/change-contract.ts";
export { workspaceEngineOptions } from "./changes/plan/change-contract.ts";
export type { ChangeReport } from "./changes/plan/change-report.ts";
export type { TransactionRecord } from "./changes/journal/transaction.ts";
export type { IgnoreRules, InheritedIgnoreRules } from "./lookup/ignore-rules.ts";

const patching = lazyModule(() => import("./apply-patch/apply-patch-text.ts"));
const changing = lazyModule(() => import("./changes/change-engine.ts"));

export const applyPatchWith: typeof ApplyPatchWith = async (...given) =>
  (await patching()).applyPatchWith(...given);

export function createChangeEngine(options: ChangeEngineOptions): ChangeEngine {
  const engine = async (): Promise<ChangeEngine> => (await changing()).createChangeEngine(options);
  return {
    change: async (request) => (await engine()).change(request),
    undo: async (id, undoOptions) => (await engine()).undo(id, undoOptions),
    rewind: async (request) => (await engine()).rewind(request),
    list: async () => (await engine()).list(),
    recover: async () => (await engine()).recover(),
  };
}

export const withPathLocks: typeof WithPathLocks = async (...given) =>
  (await import("./changes/locks/path-locks.ts")).withPathLocks(...given);

export const diffTexts: typeof DiffTexts = async (...given) =>
  (await import("./changes/text/content-diff.ts")).diffTexts(...given);

export const ignoreRules: typeof IgnoreRulesOf = async (...given) =>
  (await import("./lookup/ignore-rules.ts")).ignoreRules(...given);
