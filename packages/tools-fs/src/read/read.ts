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
        description: "Character of that line to begin at, where it is longer than a page.",
      }),
    ),
    optional: Type.Optional(
      Type.Boolean({
        "haft:unadvertised": true,
        description: "Answer that the file is missing instead of failing when it is.",
      }),
    ),
  },
  CLOSED_OBJECT,
);

const DESCRIPTION =
  "Read a text file, or look at an image. Paths are relative to the workspace root. Long files come in pages: " +
  "the end of a page says which arguments give the next.";

/** How `read` reads. */
export interface ReadToolOptions {
  /** Where to read; the calling session's workspace by default. */
  workspace?: Workspace;
  /**
   * What the model's provider takes: pixels of the longer side (default 2,000) and bytes of the base64 text (default
   * 4.5 MiB). Larger images are made smaller.
   */
  imageLimits?: { maxSide?: number; maxBase64Bytes?: number };
}

const load = lazyModule(() => import("./read-steps.ts"));

/**
 * The `read` tool: one page of a text file, whatever its size, or an image. Where nothing is at the path, it reads the file whose
 * name looks the same, and says so.
 *
 * A call fails with `FILE_NOT_FOUND`, `AMBIGUOUS_PATH` or `IS_DIRECTORY`, each naming what is near; with `BINARY_FILE`,
 * `UNSUPPORTED_ENCODING`, `IMAGE_INVALID`, `INVALID_ARGUMENTS` (a cursor outside its line), `PATH_CHANGED` (it leads elsewhere
 * than when policy decided), or an error of the workspace.
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
