/** Patches in the format of Codex over any file system that implements the port. Usable without the rest of Haft. */
export { type AppliedPatch, applyPatch, type ApplyPatchOptions } from "./apply-patch-text.ts";
export type { PatchConflict } from "./locate/conflict.ts";
export { parsePatch } from "./parse/parse-patch.ts";
export type { Patch } from "./parse/patch.ts";
export { listPatchPaths } from "./parse/patch.ts";
export type { JournalStore } from "../changes/journal/journal.ts";
export type { ChangeEngineOptions, ChangePath } from "../changes/plan/change-contract.ts";
export type { FileChange } from "../changes/plan/change-report.ts";
