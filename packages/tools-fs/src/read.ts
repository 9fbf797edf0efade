import { defineTool, HaftError, text, Type } from "@haft/plugin-sdk";
import type { FileSystem, Static, Tool, ToolContext, ToolResult, Workspace } from "@haft/plugin-sdk";
import { modelOf } from "./model-of.ts";
import type { ImageLimits } from "./images/image-limits.ts";
import type { ReadImageDetails } from "./images/read-image.ts";
import { printable } from "./lookup/paths.ts";
import type { CallPath } from "./planned-paths.ts";
import { planPaths, requirePlanned } from "./planned-paths.ts";
import { readBudget } from "./read/budget.ts";
import { directoryError } from "./read/directory.ts";
import { findSubstitute } from "./read/missing-file.ts";
import { readFile } from "./read/read-file.ts";
import { textResult } from "./read/result.ts";
import type { ReadTextDetails } from "./read/result.ts";

const schema = Type.Object(
  {
    path: Type.String({ minLength: 1, description: "File to read, relative to the workspace root." }),
    offset: Type.Optional(Type.Integer({ minimum: 1, description: "First line to show, counted from 1." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "Most lines to show." })),
    cursor: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "Character of the offset line to begin at; for lines too long for one page.",
      }),
    ),
    optional: Type.Optional(
      Type.Boolean({ description: "Answer that the file is missing instead of failing when it is." }),
    ),
  },
  { additionalProperties: false },
);

export type ReadToolInput = Static<typeof schema>;

/** Said of a missing file when the caller called it optional. */
export interface ReadNotFoundDetails {
  kind: "not_found";
  path: string;
  optional: true;
}

export type ReadToolDetails = ReadTextDetails | ReadImageDetails | ReadNotFoundDetails;

export interface ReadToolOptions {
  /** Where to read; the calling session's workspace by default. */
  workspace?: Workspace;
  /** What the model's provider takes; the common denominator by default. */
  imageLimits?: Partial<ImageLimits>;
}

const DESCRIPTION =
  "Read a text file, or look at an image (png, jpeg, gif, webp, bmp). Long files come in pages: the notice " +
  "at the end of a page says which arguments give the next one. Line ends are shown as LF, without a byte order mark.";

/** The `read` tool: one page of a file, whatever the file's size. */
export function createReadTool(options: ReadToolOptions = {}): Tool<typeof schema, ReadToolDetails> {
  return defineTool({
    name: "read",
    label: "Read",
    description: DESCRIPTION,
    parameters: schema,
    effects: ["read"],
    aliases: { path: ["file_path", "filePath", "file"] },
    otherNames: { sandboxed_read: { place: "sandbox" } },
    groups: ["fs"],
    async plan({ path }, context) {
      const workspace = options.workspace ?? context.workspace;
      const { paths, data } = await planPaths(workspace, await pathsToRead(workspace, path));
      return { subjects: { paths }, data };
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const workspace = options.workspace ?? context.workspace;
      await requirePlanned(workspace, context?.plan);
      const { fs } = workspace;
      try {
        return await show(fs, params.path, params, signal, context, options);
      } catch (error) {
        if (!HaftError.is(error)) throw error;
        if (error.code === "IS_DIRECTORY") throw await directoryError(fs, params.path);
        if (error.code !== "FILE_NOT_FOUND") throw error;
        return showSubstitute(fs, params, signal, context, options);
      }
    },
  });
}

/** Also the file of the same looks that would be read instead. Of a folder, the names in it are told. */
async function pathsToRead({ fs }: Workspace, path: string): Promise<CallPath[]> {
  try {
    const found = await fs.stat(path);
    if (found !== undefined) return [{ path, access: "read", recursive: found.type === "directory" }];
    const substitute = await findSubstitute(fs, path);
    const others = substitute.kind === "variant" ? [substitute.path] : [];
    return [path, ...others].map((one) => ({ path: one, access: "read" }));
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return [{ path, access: "read" }];
  }
}

async function show(
  fs: FileSystem,
  path: string,
  params: ReadToolInput,
  signal: AbortSignal,
  context: ToolContext,
  options: ReadToolOptions,
): Promise<ToolResult<ReadToolDetails>> {
  const request = {
    path,
    offset: params.offset ?? 1,
    cursor: params.cursor ?? 0,
    limit: params.limit,
    budget: readBudget(modelOf(context)),
  };
  const content = await readFile(fs, request, signal);
  if (content.kind === "text") return textResult(path, content.page, request);
  // Codecs and threads are loaded with the first image.
  const { readImage } = await import("./images/read-image.ts");
  return readImage(fs, path, content, { signal, model: modelOf(context), limits: options.imageLimits });
}

/** The file is not there: a name that only looks different will do; otherwise say what is near. */
async function showSubstitute(
  fs: FileSystem,
  params: ReadToolInput,
  signal: AbortSignal,
  context: ToolContext,
  options: ReadToolOptions,
): Promise<ToolResult<ReadToolDetails>> {
  const substitute = await findSubstitute(fs, params.path);
  if (substitute.kind === "variant") {
    const result = await show(fs, substitute.path, params, signal, context, options);
    const note = text(
      `[${printable(params.path)} does not exist; this is ${printable(substitute.path)}, whose name looks the same.]`,
    );
    return { ...result, content: [...result.content, note] };
  }
  if (params.optional !== true || substitute.error.code !== "FILE_NOT_FOUND") throw substitute.error;
  return {
    content: [text(`[File not found: ${printable(params.path)}. It was optional.]`)],
    details: { kind: "not_found", path: params.path, optional: true },
  };
}
