import { defineTool, requireKnownOptions, type Static, Type } from "@haft/plugin-sdk";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { CHANGE_OPTIONS, CLOSED_OBJECT, MAX_ARGUMENT_CHARACTERS, PATH_ALIASES } from "../defaults.ts";
import { needsConsent } from "../paths/planned-paths.ts";
import { lazyModule, toFileCall } from "../scheduling/lazy-tool.ts";
import type { EditToolDetails } from "./edit-steps.ts";

// Each description would be in the schema twice.
const replaceAll = Type.Optional(Type.Boolean());
const expectedCount = Type.Optional(
  Type.Integer({
    minimum: 1,
    "haft:unadvertised": true,
    description: "Refuse unless oldText occurs exactly this often.",
  }),
);
const pair = Type.Object(
  { oldText: Type.String(), newText: Type.String(), replaceAll, expectedCount },
  CLOSED_OBJECT,
);

export const editSchema = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    oldText: Type.Optional(Type.String()),
    newText: Type.Optional(Type.String()),
    replaceAll,
    expectedCount,
    edits: Type.Optional(
      Type.Array(pair, { description: "Each is matched against the original file; may not overlap." }),
    ),
    ifMatch: Type.Optional(
      Type.String({
        // Models do not see the hashes in details.
        "haft:unadvertised": true,
        description: "Only if the file has this SHA-256: of details of read, write or edit.",
        pattern: "^[0-9a-fA-F]{64}$",
      }),
    ),
  },
  CLOSED_OBJECT,
);

export type EditToolInput = Static<typeof editSchema>;

const DESCRIPTION =
  "Replace oldText by newText (empty removes), or several pairs as edits, all or none. Copy oldText exactly, without line " +
  "numbers; it must occur once, or set replaceAll.";

const load = lazyModule(() => import("./edit-steps.ts"));

/**
 * Creates the `edit` tool, which replaces text in a file. All other bytes remain.
 *
 * A call fails with `EDIT_INVALID`, `EDIT_NOT_FOUND` or `EDIT_AMBIGUOUS`; with `FILE_CHANGED` if `ifMatch` is not the hash of the file;
 * with `FILE_NOT_FOUND`, `BINARY_FILE`, `UNSUPPORTED_ENCODING`, `INVALID_TEXT`, `FILE_TOO_LARGE`, `FILE_BUSY` or `READ_ONLY`; with
 * `PATH_CHANGED` or `PLAN_CHANGED` if the file changed after the decision; or with a workspace error.
 *
 * @example
 * ```ts run
 * import { createDirectoryJournal, createEditTool } from "@haft/tools-fs";
 * const edit = createEditTool({ journal: createDirectoryJournal("journal") });
 * edit.effects; // => ["read", "write"]
 * ```
 */
export function createEditTool(options: ChangeToolOptions = {}) {
  requireKnownOptions<ChangeToolOptions>("createEditTool", options, CHANGE_OPTIONS);
  return defineTool<typeof editSchema, EditToolDetails>({
    name: "edit",
    label: "Edit",
    description: DESCRIPTION,
    parameters: editSchema,
    effects: ["read", "write"],
    aliases: {
      path: PATH_ALIASES,
      oldText: ["old_string", "old_text", "oldString"],
      newText: ["new_string", "new_text", "newString"],
      replaceAll: ["replace_all"],
      expectedCount: ["expected_count", "expected_replacements"],
    },
    otherNames: { host_workspace_edit: { target: "host" }, sandboxed_edit: { target: "sandbox" } },
    groups: ["fs"],
    maxArgumentCharacters: MAX_ARGUMENT_CHARACTERS,
    wantsPlan({ path }, context) {
      return needsConsent(options.workspace ?? context.workspace, [{ path }]);
    },
    async plan(params, context, signal) {
      const steps = await load();
      return steps.planChangeCall(toFileCall(options, params, signal, context), toChange(steps, params));
    },
    async execute(id, params, signal, _onUpdate, context) {
      const steps = await load();
      const call = toFileCall(options, params, signal, context, id);
      const { report, value: made } = await steps.runChangeCall(call, toChange(steps, params));
      if (report.changed) steps.rememberEdits(made.key, made.edits);
      return steps.editResult(call, report, made.replaced);
    },
  });
}

function toChange(steps: Awaited<ReturnType<typeof load>>, params: EditToolInput) {
  return steps.toFileChangeRequest(params.path, async (tree) => {
    const edits = steps.readEdits(params);
    const file = await tree.existing(params.path);
    steps.requireHash(file, params.ifMatch);
    steps.requireFileText(params.path, file.now.bytes);
    steps.requireUnmarked(params.path, file.now.bytes, edits);
    const { key } = file.target;
    const { splices, hunks, replaced } = await steps.planEditsOffThread(params.path, file.now.bytes, edits, {
      wasMade: (edit) => steps.wasMade(key, edit),
      signal: tree.signal,
    });
    tree.update(file, splices);
    file.hunks.push(...hunks);
    return { key, edits, replaced };
  });
}
