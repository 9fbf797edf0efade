/**
 * Patches in the format of Codex, over any file system that implements the port: parse, plan,
 * apply. Usable without the rest of Haft.
 */
export { applyPatch, applyPatchWith } from "./apply-patch.ts";
export type { AppliedPatch, ApplyPatchOptions, PatchSummary } from "./apply-patch.ts";
export type { PatchConflict } from "./place/conflict.ts";
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
export { pathsOfPatch } from "./parse/paths-of-patch.ts";
export { planPatch } from "./plan-patch.ts";
export type { PatchPlan } from "./plan-patch.ts";
