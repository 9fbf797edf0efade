import { type Static, Type } from "@haft/plugin-sdk";
import type { FileChange } from "../changes/plan/change-report.ts";
import { CLOSED_OBJECT } from "../defaults.ts";

// Their names, and the description of the tool, say what they are: each stands in the schema twice.
const oldText = Type.String();
const newText = Type.String();
const replaceAll = Type.Boolean();
const expectedCount = Type.Integer({
  minimum: 1,
  "haft:unadvertised": true,
  description: "Refuse unless oldText stands there exactly so often.",
});

export const editSchema = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    oldText: Type.Optional(oldText),
    newText: Type.Optional(newText),
    replaceAll: Type.Optional(replaceAll),
    expectedCount: Type.Optional(expectedCount),
    edits: Type.Optional(
      Type.Array(
        Type.Object(
          {
            oldText,
            newText,
            replaceAll: Type.Optional(replaceAll),
            expectedCount: Type.Optional(expectedCount),
          },
          CLOSED_OBJECT,
        ),
        {
          description: "Each is matched against the original file; may not overlap.",
        },
      ),
    ),
    ifMatch: Type.Optional(
      Type.String({
        // The hashes are in details, which no model sees.
        "haft:unadvertised": true,
        description: "Only if the file has this SHA-256: of details of read, write or edit.",
        pattern: "^[0-9a-fA-F]{64}$",
      }),
    ),
  },
  CLOSED_OBJECT,
);

export type EditToolInput = Static<typeof editSchema>;

/** What `edit` answers beside its sentences. */
export interface EditToolDetails {
  /** As it was asked for. */
  path: string;
  /** The file is not what it was. */
  changed: boolean;
  /** Places replaced. */
  replacements: number;
  /** SHA-256 of the file as it is now: a later `ifMatch`. */
  hash: string;
  /** Unified diff; absent for a file that did not change, or when it is too large to show. */
  diff?: string;
  /** First line that is not what it was, from 1. */
  firstChangedLine?: number;
  /** Where each edit was found and how. */
  hunks: FileChange["hunks"];
  /** Takes the edits back, where a journal is kept. */
  transactionId?: string;
  /** As the options or the name of the tool say it. */
  workspaceOnly?: boolean;
}
