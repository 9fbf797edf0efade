import { defineTool, requireKnownOptions, type Static, Type } from "@haft/plugin-sdk";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { CHANGE_OPTIONS, CLOSED_OBJECT, MAX_ARGUMENT_CHARACTERS, PATH_ALIASES } from "../defaults.ts";
import { needsConsent } from "../paths/planned-paths.ts";
import { type FileCall, lazyModule, toFileCall } from "../scheduling/lazy-tool.ts";
import type { WriteToolDetails } from "./write-steps.ts";

export const writeSchema = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    content: Type.String(),
    lineEndings: Type.Optional(
      Type.Unsafe<"keep" | "lf" | "crlf">({
        type: "string",
        enum: ["keep", "lf", "crlf"],
        description: "keep by default.",
      }),
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

export type WriteToolInput = Static<typeof writeSchema>;

const DESCRIPTION =
  "Create a file, with missing folders, or replace all of its content. To change a part, use edit.";

const load = lazyModule(() => import("./write-steps.ts"));

/**
 * Creates the `write` tool, which replaces the whole content of a file atomically.
 *
 * A call fails with `FILE_CHANGED` if `ifMatch` is not the hash of the file; with `INVALID_TEXT`, `FILE_TOO_LARGE`, `IS_DIRECTORY`,
 * `FILE_BUSY` or `READ_ONLY`; with `PATH_CHANGED` or `PLAN_CHANGED` if the file changed after the decision; or with an error of the
 * workspace.
 *
 * @example
 * ```ts
 * import { definePlugin } from "@haft/plugin-sdk";
 * import { createWriteTool } from "@haft/tools-fs";
 * const write = createWriteTool({ maxFileBytes: 100_000 });
 * export default definePlugin({ id: "small-files", tools: [write], replaces: ["write"] });
 * ```
 */
export function createWriteTool(options: ChangeToolOptions = {}) {
  requireKnownOptions<ChangeToolOptions>("createWriteTool", options, CHANGE_OPTIONS);
  return defineTool<typeof writeSchema, WriteToolDetails>({
    name: "write",
    label: "Write",
    description: DESCRIPTION,
    parameters: writeSchema,
    effects: ["write"],
    aliases: { path: PATH_ALIASES },
    otherNames: { host_workspace_write: { target: "host" }, sandboxed_write: { target: "sandbox" } },
    groups: ["fs"],
    maxArgumentCharacters: MAX_ARGUMENT_CHARACTERS,
    wantsPlan({ path }, context) {
      return needsConsent(options.workspace ?? context.workspace, [{ path }]);
    },
    async plan(params, context, signal) {
      const steps = await load();
      const call = toFileCall(options, params, signal, context);
      return steps.planChangeCall(call, toChange(steps, call));
    },
    async execute(id, params, signal, _onUpdate, context) {
      const steps = await load();
      const call = toFileCall(options, params, signal, context, id);
      const { report, value: form } = await steps.runChangeCall(call, toChange(steps, call));
      if (report.changed) steps.rememberWritten(call, report);
      return steps.writeResult(call, report, form);
    },
  });
}

function toChange(steps: Awaited<ReturnType<typeof load>>, call: FileCall<WriteToolInput>) {
  const { path, content, lineEndings = "keep", ifMatch } = call.params;
  return steps.toFileChangeRequest(path, async (tree) => {
    steps.requireWellFormed("content", content);
    const file = await tree.file(path);
    if (ifMatch === undefined) steps.requireShownVersion(call, file);
    else steps.requireHash(file, ifMatch);
    return steps.putContent(tree, file, content, lineEndings);
  });
}
