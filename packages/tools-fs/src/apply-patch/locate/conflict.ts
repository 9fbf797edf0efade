import type { HaftError } from "@haft/plugin-sdk";
import { MISS_CAUSE_TEXTS, type MissCause } from "../../changes/match/guess-cause.ts";
import type { NearRegion } from "../../changes/match/nearest-lines.ts";
import { fileToolError } from "../../errors.ts";

/**
 * Describes a conflict of a patch, with a suggestion.
 *
 * @example
 * ```ts
 * import type { PatchConflict } from "@haft/tools-fs/apply-patch";
 * const describe = ({ path, patchLine, code, nearest = [] }: PatchConflict) =>
 *   `line ${patchLine}, ${path}: ${code}, similar to line ${nearest[0]?.startLine ?? "?"}`;
 * ```
 */
export interface PatchConflict {
  /** Identifies the kind of conflict. */
  code:
    | "HUNK_NOT_FOUND"
    | "HUNK_AMBIGUOUS"
    | "HUNK_WITHOUT_CONTEXT"
    | "ALREADY_APPLIED"
    | "ANCHOR_NOT_FOUND"
    | "FILE_NOT_FOUND"
    | "FILE_EXISTS";
  /** Contains the path as the patch has it. */
  path: string;
  /** Contains the line of the patch, from 1. */
  patchLine: number;
  /** Contains the index of the hunk within its section, from 0. */
  hunk?: number;
  /** Contains the text that was not found, cut to a few lines. */
  expected?: string;
  /** States the likely cause. */
  cause?: MissCause;
  /** Replaces the general sentence for the code. */
  problem?: string;
  /** Lists the most similar regions, the best first. */
  nearest?: readonly NearRegion[];
  /** Matches of the hunk, each with the nearest unique line above. */
  places?: readonly { line: number; anchor?: string }[];
  /** Lists existing files with similar names. */
  similar?: readonly string[];
  /** Contains the corrected hunk, ready to be sent. */
  suggestion?: string;
}

export const MAX_CONFLICTS = 5;
const MAX_MESSAGE = 6_000;

/** The error contains the conflicts as `details.conflicts`. */
export function conflictError(conflicts: readonly PatchConflict[]): HaftError {
  const total = conflicts.length;
  const shown = conflicts.slice(0, MAX_CONFLICTS);
  const head = `The patch does not match the files, so nothing was changed (${total === 1 ? "1 conflict" : `${total} conflicts`}).`;
  const message = [head, ...shown.map(describe)];
  if (total > shown.length) message.push(`… and ${total - shown.length} more.`);
  const text = message.join("\n\n");
  return fileToolError(
    "PATCH_CONFLICT",
    text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE).toWellFormed()}…`,
    {
      fix: "Correct these parts, keep the rest, and send the whole patch again: no part of it was applied.",
      details: { conflicts: shown, total },
    },
  );
}

function describe(conflict: PatchConflict, index: number): string {
  const { path, patchLine, hunk, cause, problem, expected, nearest = [], suggestion } = conflict;
  const where = hunk === undefined ? path : `${path}, hunk ${hunk + 1}`;
  const lines = [`${index + 1}. ${where} (patch line ${patchLine}): ${problem ?? describeCode(conflict)}`];
  if (expected !== undefined) lines.push(expected);
  if (cause !== undefined && problem === undefined && conflict.code !== "ALREADY_APPLIED")
    lines.push(`Likely cause: ${MISS_CAUSE_TEXTS[cause]}.`);
  if (suggestion !== undefined) lines.push("Corrected hunk, if this location is intended:", suggestion);
  else
    for (const region of nearest)
      lines.push(`Nearest text, lines ${region.startLine}-${region.endLine}:`, region.text);
  return lines.join("\n");
}

function describeCode({ code, places = [], similar = [] }: PatchConflict): string {
  switch (code) {
    case "HUNK_NOT_FOUND":
      return "these lines are not in the file:";
    case "HUNK_AMBIGUOUS": {
      const listed = places.map(({ line, anchor }) =>
        anchor === undefined ? `line ${line}` : `line ${line} (@@ ${anchor})`,
      );
      return `it matches several locations: ${listed.join(", ")}. Add context lines, or an @@ line that distinguishes them:`;
    }
    case "HUNK_WITHOUT_CONTEXT":
      return "it only adds lines, and its line numbers give no valid location: they announce old lines, or a line beyond the end of the file. Add context lines:";
    case "ALREADY_APPLIED": {
      const at = places[0] === undefined ? "" : ` at line ${places[0].line}`;
      return `its result is already present${at}, but other parts of the patch would change files. Leave it out, or correct it:`;
    }
    case "ANCHOR_NOT_FOUND":
      return "the @@ line is not a line of the file, or not below and within the @@ line before it:";
    case "FILE_NOT_FOUND":
      return similar.length === 0
        ? "the file does not exist."
        : `the file does not exist; did you mean ${similar.join(" or ")}?`;
    case "FILE_EXISTS":
      return "the file already exists. Update it, or delete it earlier in the patch.";
  }
}
