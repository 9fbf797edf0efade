import { type Static, Type } from "@haft/plugin-sdk";
import type { FileChange } from "../changes/plan/change-report.ts";
import { CLOSED_OBJECT } from "../defaults.ts";

export const applyPatchSchema = Type.Object(
  {
    input: Type.String(),
  },
  CLOSED_OBJECT,
);

export type ApplyPatchToolInput = Static<typeof applyPatchSchema>;

/** What `apply_patch` answers beside its sentences. */
export interface ApplyPatchToolDetails {
  /** Paths by what happened to them; a moved file is a modified one, under its new path. */
  summary: { added: string[]; modified: string[]; deleted: string[] };
  /** A file is not what it was. */
  changed: boolean;
  /** Every file with hashes, diff, and where each hunk was found. */
  files: readonly FileChange[];
  /** Takes the whole patch back, where a journal is kept. */
  transactionId?: string;
  /** As the options say it. */
  workspaceOnly?: boolean;
}
