import { defineTool, Type } from "@haft/plugin-sdk";
import type { Static, Tool } from "@haft/plugin-sdk";
import type { HunkReport } from "../changes/plan/change-report.ts";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { PATH_ALIASES } from "../changes/tool-options.ts";
import { changing } from "../changing.ts";
import { needsConsent } from "../planned-paths.ts";

const oldText = Type.String({
  description: "Text to replace, copied exactly from the file; must be unique in it.",
});
const newText = Type.String({ description: "Text to put there; empty removes." });
const replaceAll = Type.Boolean({ description: "Replace every place where oldText stands." });
const expectedCount = Type.Integer({
  minimum: 1,
  description: "Refuse unless oldText stands there exactly so often.",
});

const schema = Type.Object(
  {
    path: Type.String({ minLength: 1, description: "File to change, relative to the workspace root." }),
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
          { additionalProperties: false },
        ),
        {
          description:
            "Several replacements in one step, each matched against the original file; may not overlap.",
        },
      ),
    ),
    ifMatch: Type.Optional(
      Type.String({
        description:
          "Edit only if the file still has this hash, as details of read, write or edit report it.",
        pattern: "^[0-9a-fA-F]{64}$",
      }),
    ),
  },
  { additionalProperties: false },
);

export type EditToolInput = Static<typeof schema>;

export interface EditToolDetails {
  path: string;
  changed: boolean;
  /** Places replaced. */
  replacements: number;
  /** SHA-256 of the file as it is now: a later `ifMatch`. */
  hash: string;
  diff?: string;
  firstChangedLine?: number;
  /** Where each edit was found and how. */
  hunks: readonly HunkReport[];
  transactionId?: string;
  workspaceOnly?: boolean;
}

export interface EditToolOptions extends ChangeToolOptions {}

const DESCRIPTION =
  "Replace text in a file: oldText by newText, or several pairs as edits. oldText must be copied exactly, without " +
  "line numbers, and be unique, or replaceAll be set. All edits are made or none. To replace the whole file, use write.";

/** The `edit` tool: finds text, replaces it, leaves every other byte alone. */
export function createEditTool(options: EditToolOptions = {}): Tool<typeof schema, EditToolDetails> {
  return defineTool({
    name: "edit",
    label: "Edit",
    description: DESCRIPTION,
    parameters: schema,
    effects: ["read", "write"],
    aliases: {
      path: PATH_ALIASES,
      oldText: ["old_string", "old_text", "oldString"],
      newText: ["new_string", "new_text", "newString"],
      replaceAll: ["replace_all"],
      expectedCount: ["expected_count", "expected_replacements"],
    },
    otherNames: { host_workspace_edit: { place: "host" }, sandboxed_edit: { place: "sandbox" } },
    groups: ["fs"],
    wantsPlan({ path }, context) {
      return needsConsent(options.workspace ?? context.workspace, [{ path }]);
    },
    async plan(params, context, signal) {
      return (await changing()).planEditCall(params, signal, context, options);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      return (await changing()).runEdit(params, signal, context, options);
    },
  });
}
