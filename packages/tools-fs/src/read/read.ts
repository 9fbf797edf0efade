import { defineTool, requireKnownOptions, Type, type Workspace } from "@haft/plugin-sdk";
import { CLOSED_OBJECT, PATH_ALIASES } from "../defaults.ts";
import { lazyModule, toFileCall } from "../scheduling/lazy-tool.ts";
import type { ReadToolDetails } from "./read-result.ts";

export const readToolSchema = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    offset: Type.Optional(Type.Integer({ minimum: 1, description: "First line, from 1." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "Most lines." })),
    cursor: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "Character of that line to begin at, if it is longer than a page.",
      }),
    ),
    optional: Type.Optional(
      Type.Boolean({
        "haft:unadvertised": true,
        description: "Report a missing file instead of failing.",
      }),
    ),
  },
  CLOSED_OBJECT,
);

const DESCRIPTION =
  "Read a text file, or look at an image. Paths are relative to the workspace root. Long files come in pages: " +
  "the end of a page names the arguments for the next.";

/**
 * Contains the options of {@link createReadTool}.
 *
 * @example
 * ```ts
 * import type { ReadToolOptions } from "@haft/tools-fs";
 * const options: ReadToolOptions = { imageLimits: { maxSide: 1_568, maxBase64Bytes: 5_000_000 } };
 * ```
 */
export interface ReadToolOptions {
  /** Sets the workspace. Default: the workspace of the calling session. */
  workspace?: Workspace;
  /**
   * Limits images for the model's provider: pixels of the longer side (default 2,000) and bytes of the base64 text (default 4.5 MiB).
   * Larger images are reduced.
   */
  imageLimits?: { maxSide?: number; maxBase64Bytes?: number };
}

const load = lazyModule(() => import("./read-steps.ts"));

/**
 * Creates the `read` tool, which reads one page of a text file of any size, or an image. For a missing path, it reads the file whose name
 * looks the same, and reports that.
 *
 * A call fails with `FILE_NOT_FOUND`, `AMBIGUOUS_PATH` or `IS_DIRECTORY`, each with similar paths; with `BINARY_FILE`,
 * `UNSUPPORTED_ENCODING`, `IMAGE_INVALID`, or `INVALID_ARGUMENTS` for a cursor outside its line; with `PATH_CHANGED` if the path changed
 * its location after the decision; or with a workspace error.
 *
 * @example
 * ```ts
 * import { createReadTool } from "@haft/tools-fs";
 * import { createHostWorkspace } from "@haft/workspace";
 * const workspace = createHostWorkspace({ root: "/srv/handbook", rootAccess: "ro" });
 * const readHandbook = { ...createReadTool({ workspace }), name: "read_handbook" };
 * ```
 */
export function createReadTool(options: ReadToolOptions = {}) {
  requireKnownOptions<ReadToolOptions>("createReadTool", options, { workspace: true, imageLimits: true });
  return defineTool<typeof readToolSchema, ReadToolDetails>({
    name: "read",
    label: "Read",
    description: DESCRIPTION,
    parameters: readToolSchema,
    effects: ["read"],
    aliases: { path: PATH_ALIASES },
    otherNames: { sandboxed_read: { target: "sandbox" } },
    groups: ["fs"],
    async plan({ path }, context) {
      const { findReadPaths, planPaths } = await load();
      const workspace = options.workspace ?? context.workspace;
      return planPaths(workspace, await findReadPaths(workspace, path));
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const { requirePlannedPaths, findExistingSpelling, readPage, readSubstitute } = await load();
      const call = toFileCall(options, params, signal, context);
      await requirePlannedPaths(call.workspace, call.context.plan);
      const path = await findExistingSpelling(call.workspace.fs, params.path);
      const result = await readPage(call, path).catch((error: unknown) => readSubstitute(call, path, error));
      if (call.context.toolName !== "sandboxed_read") return result;
      return { ...result, details: { ...result.details, sandbox: true } };
    },
  });
}
