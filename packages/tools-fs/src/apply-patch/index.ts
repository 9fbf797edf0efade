/**
 * Patches in the format of Codex, over any file system that implements the port: parse, plan,
 * apply. Usable without the rest of Haft.
 */
export { type AppliedPatch, applyPatch, type ApplyPatchOptions } from "./apply-patch-text.ts";
export type { PatchConflict } from "./locate/conflict.ts";
export { parsePatch } from "./parse/parse-patch.ts";
export type {
  AddSection,
  DeleteSection,
  HunkLine,
  LineHint,
  Patch,
  PatchHunk,
  PatchSection,
  UpdateSection,
} from "./parse/patch.ts";
export { listPatchPaths } from "./parse/patch.ts";
export type { JournalEntry, JournalStore } from "../changes/journal/journal.ts";
export type { TransactionRecord } from "../changes/journal/transaction.ts";
export type { ChangeEngineOptions, ChangePath } from "../changes/plan/change-contract.ts";
export type { MissCause } from "../changes/match/guess-cause.ts";
export type { NearRegion } from "../changes/match/nearest-lines.ts";
export type { ChangeReport, FileChange } from "../changes/plan/change-report.ts";
