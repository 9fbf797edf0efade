import { defineTool, text, Type } from "@haft/plugin-sdk";
import type { Static, Tool } from "@haft/plugin-sdk";
import type { ChangeReport, FileChange, HunkReport } from "./changes/change-report.ts";
import { describePass } from "./changes/match-pass.ts";
import { previewOf } from "./changes/preview-change.ts";
import type { ChangeToolOptions } from "./changes/tool-options.ts";
import { engineFor, isWorkspaceOnly, PATH_ALIASES } from "./changes/tool-options.ts";
import { planPaths, requirePlanned } from "./planned-paths.ts";

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

/** Loaded with the first call. */
const work = () => import("./edit/plan-edit.ts");

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
    async plan(params, context, signal) {
      const workspace = options.workspace ?? context.workspace;
      const { paths, data } = await planPaths(workspace, [{ path: params.path, access: "write" }]);
      const preview = await previewOf(engineFor(options, context), {
        paths: [{ path: params.path }],
        plan: async (tree) => (await work()).planEdit(tree, params),
        refineDiff: true,
        signal,
      });
      return { subjects: { paths }, preview, data };
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const { report, value: planned } = await engineFor(options, context).change({
        paths: [{ path: params.path }],
        plan: async (tree) => {
          await requirePlanned(options.workspace ?? context.workspace, context?.plan);
          return (await work()).planEdit(tree, params);
        },
        refineDiff: true,
        signal,
      });
      const { replacements, remember } = planned;
      if (report.changed) remember();
      const details = describe(report, replacements, isWorkspaceOnly(options, context));
      return { content: [text(summary(details))], details, receipt: details.changed ? "committed" : "none" };
    },
  });
}

function describe(report: ChangeReport, replacements: number, workspaceOnly?: boolean): EditToolDetails {
  const file = report.files[0] as FileChange;
  return {
    path: file.path,
    changed: report.changed,
    replacements,
    hash: file.after ?? "",
    ...(file.diff === undefined ? {} : { diff: file.diff }),
    ...(file.firstChangedLine === undefined ? {} : { firstChangedLine: file.firstChangedLine }),
    hunks: file.hunks,
    ...(report.transactionId === undefined ? {} : { transactionId: report.transactionId }),
    ...(workspaceOnly === undefined ? {} : { workspaceOnly }),
  };
}

function summary({ path, changed, hunks }: EditToolDetails): string {
  const applied = hunks.filter((hunk) => hunk.alreadyApplied === true);
  const lines: string[] = [];
  if (changed) lines.push(`Successfully edited ${path}`);
  else if (applied.length > 0) {
    const where = applied.map(({ newStart }) => newStart).join(", ");
    lines.push(`No change to ${path}: oldText is not in it, and newText already is, at line ${where}.`);
  } else lines.push(`No change to ${path}: newText is the same as what is there.`);
  if (changed && applied.length > 0) {
    lines.push(
      `Already there, so left alone: ${applied.map(({ index }) => `edit ${index + 1}`).join(", ")}.`,
    );
  }
  for (const { pass, oldStart, index } of hunks.slice(0, 10)) {
    if (pass === "exact") continue;
    const which = hunks.length > 1 ? `edit ${index + 1}` : "oldText";
    lines.push(`Note: ${which} was found at line ${oldStart} ${describePass(pass)}.`);
  }
  return lines.join("\n");
}
