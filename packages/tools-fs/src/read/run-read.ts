import { HaftError, text } from "@haft/plugin-sdk";
import type { CallPlan, FileSystem, ToolContext, ToolResult, Workspace } from "@haft/plugin-sdk";
import { modelOf, readBudget } from "../content/model-facts.ts";
import { findSubstitute } from "../paths/missing-file.ts";
import { printable } from "../paths/path-text.ts";
import type { CallPath } from "../paths/planned-paths.ts";
import { planPaths, requirePlanned } from "../paths/planned-paths.ts";
import { directoryError } from "./directory.ts";
import { readFile } from "./read-file.ts";
import type { ReadToolDetails, ReadToolInput, ReadToolOptions } from "./read-schema.ts";
import { textResult } from "./result.ts";

/** What a call is about: the file, and the one that would be read instead. */
export async function planRead({ path }: ReadToolInput, workspace: Workspace): Promise<CallPlan> {
  const { paths, ...planned } = await planPaths(workspace, await pathsToRead(workspace, path));
  return { subjects: { paths }, ...planned };
}

/** One page of a file, or an image. */
export async function runRead(
  params: ReadToolInput,
  signal: AbortSignal,
  context: ToolContext,
  options: ReadToolOptions,
): Promise<ToolResult<ReadToolDetails>> {
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
  const { readImage } = await import("../images/read-image.ts");
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
