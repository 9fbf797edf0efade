import { type FileSystem, HaftError, text, type ToolResult, type Workspace } from "@haft/plugin-sdk";
import { rememberShown } from "../changes/shown-versions.ts";
import { getModelFacts, readBudget } from "../content/model-facts.ts";
import { fileToolError } from "../errors.ts";
import { findExistingSpelling } from "../paths/existing-spelling.ts";
import { findSubstitute } from "../paths/missing-file.ts";
import { printablePath } from "../paths/path-text.ts";
import type { CallPath } from "../paths/planned-paths.ts";
import type { FileCall } from "../scheduling/lazy-tool.ts";
import { readFilePage } from "./read-file.ts";
import { type ReadToolDetails, textResult } from "./read-result.ts";

export { findExistingSpelling } from "../paths/existing-spelling.ts";
export { planPaths, requirePlannedPaths } from "../paths/planned-paths.ts";

type ReadCall = FileCall<
  { path: string; offset?: number; cursor?: number; limit?: number; optional?: boolean },
  { imageLimits?: { maxSide?: number; maxBase64Bytes?: number } }
>;

export async function findReadPaths({ fs }: Workspace, path: string): Promise<CallPath[]> {
  try {
    const at = await findExistingSpelling(fs, path);
    const found = await fs.stat(at);
    if (found !== undefined) return [{ path, access: "read", recursive: found.type === "directory" }];
    const substitute = await findSubstitute(fs, at);
    const others = substitute.kind === "variant" ? [substitute.path] : [];
    return [path, ...others].map((one) => ({ path: one, access: "read" }));
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return [{ path, access: "read" }];
  }
}

/** Returns a page of text within the budget of the model, or an image. @param path in the spelling of the file system */
export async function readPage(call: ReadCall, path: string): Promise<ToolResult<ReadToolDetails>> {
  const result = await show(call, path);
  const requested = call.params.path;
  // Only missing names were removed, or the names differ in bytes.
  return path === requested || path.normalize() !== requested.normalize()
    ? result
    : noted(result, requested, path);
}

async function show(call: ReadCall, path: string): Promise<ToolResult<ReadToolDetails>> {
  const { params, options, signal, workspace } = call;
  const model = getModelFacts(call.context);
  const { offset = 1, cursor = 0, limit } = params;
  const request = { path, offset, cursor, limit, budget: readBudget(model) };
  const content = await readFilePage(workspace.fs, request, signal);
  if (content.kind === "text") {
    const { hash, text: shown } = content.page;
    if (hash !== undefined) rememberShown(call, path, hash, shown);
    return textResult(path, content.page, request);
  }
  const { readImage } = await import("../images/read-image.ts");
  return readImage(workspace.fs, path, content, { signal, model, limits: options.imageLimits });
}

/**
 * Reads a file with a similar-looking name, or creates an error with suggestions.
 *
 * @param error Error of the page.
 */
export async function readSubstitute(
  call: ReadCall,
  path: string,
  error: unknown,
): Promise<ToolResult<ReadToolDetails>> {
  const { fs } = call.workspace;
  if (HaftError.is(error) && error.code === "IS_DIRECTORY") throw await directoryError(fs, path);
  if (!HaftError.is(error) || error.code !== "FILE_NOT_FOUND") throw error;
  const { optional = false } = call.params;
  const substitute = await findSubstitute(fs, path);
  if (substitute.kind === "variant") return noted(await show(call, substitute.path), path, substitute.path);
  if (!optional || substitute.error.code !== "FILE_NOT_FOUND") throw substitute.error;
  return {
    content: [text(`[File not found: ${printablePath(path)}. It was optional.]`)],
    details: { kind: "not_found", path, optional: true },
  };
}

function noted(result: ToolResult<ReadToolDetails>, requested: string, path: string): typeof result {
  const note = `[${printablePath(requested)} does not exist; this is ${printablePath(path)}, whose name looks the same.]`;
  return { ...result, content: [...result.content, text(note)] };
}

const MOST_NAMES = 20;

async function directoryError(fs: FileSystem, path: string): Promise<HaftError> {
  const { entries, truncated } = await fs.list(path);
  const names = entries
    .map((entry) => (entry.type === "directory" ? `${entry.name}/` : entry.name))
    .toSorted()
    .slice(0, MOST_NAMES);
  const more = entries.length > names.length ? `, … (${entries.length}${truncated ? "+" : ""} entries)` : "";
  const inside =
    names.length === 0 ? "it is empty" : `it contains ${names.map(printablePath).join(", ")}${more}`;
  return fileToolError("IS_DIRECTORY", `${printablePath(path)} is a directory; ${inside}.`, {
    fix: "Read one of its files, or list it with ls.",
    details: { path, entries: names, total: entries.length },
  });
}
