import { requireKnownOptions } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { createChangeEngine } from "../changes/change-engine.ts";
import { INDENTATION_NOTES, MATCH_PASS_TEXTS } from "../changes/match/match-pass.ts";
import type { ChangeEngine, ChangeEngineOptions, ChangeRequest } from "../changes/plan/change-contract.ts";
import { type ChangeReport, formatGuessedEncoding } from "../changes/plan/change-report.ts";
import { parsePatch } from "./parse/parse-patch.ts";
import { listPatchPaths } from "./parse/patch.ts";
import { planPatch } from "./plan-patch.ts";

/**
 * Contains the options of {@link applyPatch}.
 *
 * @example
 * ```ts
 * import type { ApplyPatchOptions } from "@haft/tools-fs/apply-patch";
 * import { createHostWorkspace } from "@haft/workspace";
 * const { fs } = createHostWorkspace({ root: "/srv/project" });
 * const options: ApplyPatchOptions = { fs, dryRun: true, signal: AbortSignal.timeout(10_000) };
 * ```
 */
export interface ApplyPatchOptions extends ChangeEngineOptions {
  /** Reports the changes without writing them (default false). */
  dryRun?: boolean;
  /** Aborts the patch and rolls back a running commit. */
  signal?: AbortSignal;
}

type PatchSummary = AppliedPatch["summary"];

/**
 * Contains the result of {@link applyPatch}.
 *
 * @example
 * ```ts
 * import type { AppliedPatch } from "@haft/tools-fs/apply-patch";
 * const touched = ({ summary: { added, modified, deleted } }: AppliedPatch) => [...added, ...modified, ...deleted];
 * ```
 */
export interface AppliedPatch {
  /** Contains the report of each file. */
  report: ChangeReport;
  /** Lists paths by kind of change. A moved file counts as modified, with its new path. */
  summary: { added: string[]; modified: string[]; deleted: string[] };
  /** Summarizes the patch for the model, with remarks on how hunks were found. */
  text: string;
}

/**
 * Applies a patch completely or not at all.
 *
 * @throws `PATCH_INVALID`, `PATCH_CONFLICT`, and file system errors, each with the state of the disk
 *
 * @example
 * ```ts run
 * import { applyPatch } from "@haft/tools-fs/apply-patch";
 * import { createHostWorkspace } from "@haft/workspace";
 * const { fs } = createHostWorkspace({ root: process.cwd() });
 * const patch = ["*** Begin Patch", "*** Add File: hello.txt", "+Hello", "*** End Patch"].join("\n");
 * const { summary } = await applyPatch(patch, { fs });
 * summary; // => { added: ["hello.txt"], modified: [], deleted: [] }
 * ```
 */
export async function applyPatch(input: string, options: ApplyPatchOptions): Promise<AppliedPatch> {
  requireKnownOptions<ApplyPatchOptions>("applyPatch", options, {
    dryRun: true,
    signal: true,
    fs: true,
    target: true,
    root: true,
    mounts: true,
    journal: true,
    durable: true,
    maxFileBytes: true,
    by: true,
  });
  return await applyPatchWith(createChangeEngine(options), input, options);
}

export async function applyPatchWith(
  engine: ChangeEngine,
  input: string,
  { dryRun, signal }: { dryRun?: boolean; signal?: AbortSignal } = {},
): Promise<AppliedPatch> {
  const request = { ...patchRequest(input), hashBefore: true, dryRun, signal };
  const { report } = await engine.change(withoutUndefined<ChangeRequest<void>>(request));
  return { report, ...describePatch(report) };
}

export function patchRequest(input: string): Pick<ChangeRequest<void>, "paths" | "plan"> {
  const patch = parsePatch(input);
  return { paths: listPatchPaths(patch), plan: (tree) => planPatch(tree, patch) };
}

export function describePatch(report: ChangeReport): Pick<AppliedPatch, "summary" | "text"> {
  const summary = summarise(report);
  return { summary, text: describe(report, summary) };
}

function summarise(report: ChangeReport): PatchSummary {
  const summary: PatchSummary = { added: [], modified: [], deleted: [] };
  for (const { kind, path } of report.files) {
    if (kind === "added") summary.added.push(path);
    else if (kind === "deleted") summary.deleted.push(path);
    else if (kind !== "unchanged") summary.modified.push(path);
  }
  return summary;
}

const MAX_NOTES = 20;

function describe(report: ChangeReport, { added, modified, deleted }: PatchSummary): string {
  const lost = report.files.flatMap(({ path, irreversible }) =>
    irreversible === true ? [`Note: ${path} was too large to store, so its deletion cannot be undone.`] : [],
  );
  const found = report.files.flatMap(({ path, hunks }) =>
    hunks.flatMap(({ index, pass, oldStart, indentation, alreadyApplied }) => {
      const hunk = `${path}, hunk ${index + 1}`;
      if (alreadyApplied === true) return [`Note: ${hunk} was already applied, at line ${oldStart}.`];
      if (pass === "exact") return [];
      const written = indentation === undefined ? "" : INDENTATION_NOTES[indentation];
      return [`Note: ${hunk} was found at line ${oldStart} ${MATCH_PASS_TEXTS[pass]}${written}.`];
    }),
  );
  const others = report.files.flatMap(({ path, from, accessLost }) =>
    accessLost === true
      ? [
          `Note: ${path} has another owner or access list than ${from ?? "before"}, because this user cannot set it.`,
        ]
      : [],
  );
  const notes = [...report.files.flatMap(formatGuessedEncoding), ...lost, ...others, ...found];
  const shown =
    notes.length > MAX_NOTES
      ? [...notes.slice(0, MAX_NOTES), `Note: … and ${notes.length - MAX_NOTES} more.`]
      : notes;
  if (!report.changed) return ["No files were changed: the patch is already applied.", ...shown].join("\n");
  const head = report.dryRun
    ? "The patch can be applied. It would update the following files:"
    : "Success. Updated the following files:";
  const files = [
    ...added.map((path) => `A ${path}`),
    ...modified.map((path) => `M ${path}`),
    ...deleted.map((path) => `D ${path}`),
  ];
  return [head, ...files, ...shown].join("\n");
}
