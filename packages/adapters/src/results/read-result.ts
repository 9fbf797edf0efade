import { getErrorMessage, text, contentToText, type ToolResult } from "@haft/core";
import { adapterError } from "../errors.ts";
import { contentBlock, isPartList } from "./content-block.ts";
import { toJson } from "./to-json.ts";

/**
 * Leaves texts unchanged, converts parts (texts, images) to blocks, anything else to JSON. `undefined`, null and empty text have no
 * content.
 *
 * @throws `BRIDGED_TOOL_FAILED` for a returned error or an unreadable value
 */
export function readResult(value: unknown): ToolResult {
  if (value === undefined || value === null || value === "") return { content: [], details: {} };
  if (typeof value === "string") return { content: [text(value)], details: {} };
  if (value instanceof Error) throw createToolError(getErrorMessage(value), value);
  if (isPartList(value)) return { content: value.map(contentBlock), details: {} };
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return { content: [text(String(value))], details: { value: String(value) } };
  if (typeof value !== "object")
    throw createToolError(`The tool returned a ${typeof value}, which is no result.`);
  if (isPartList([value])) return { content: [contentBlock(value)], details: {} };
  if (isContentResult(value)) return readContentResult(value);
  const unread = unreadable(value);
  if (unread !== undefined) throw createToolError(`The tool returned ${unread}, which is not read here.`);
  const json = toJson(value);
  return { content: [text(json)], details: detailsOf(json, value) };
}

/** `{ content: [...] }`, as in pi, OpenClaw and the Model Context Protocol. */
interface ContentResult {
  content: unknown[];
  details?: unknown;
  structuredContent?: unknown;
  isError?: unknown;
}

function isContentResult(value: object): value is ContentResult {
  const { content } = value as Partial<ContentResult>;
  return Array.isArray(content) && (content.length === 0 || isPartList(content) || "details" in value);
}

/** @throws `BRIDGED_TOOL_FAILED` for a result that reports an error */
function readContentResult(result: ContentResult): ToolResult {
  const content = result.content.map(contentBlock);
  if (result.isError === true)
    throw createToolError(contentToText(content) || "The tool failed and gave no reason.");
  const { details = result.structuredContent } = result;
  return { content, details: toDetails(details) };
}

/** Facts for programs, as JSON. */
export function toDetails(value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  return detailsOf(toJson(value), value);
}

function detailsOf(json: string, value: unknown): Record<string, unknown> {
  // The limit of details would cut it again.
  if (json.length > 1_000_000) return {};
  try {
    const plain = JSON.parse(json) as unknown;
    const isObject = typeof plain === "object" && plain !== null && !Array.isArray(plain);
    return isObject ? (plain as Record<string, unknown>) : { value: plain };
  } catch {
    return { value: String(value) };
  }
}

/** Detects objects whose content JSON omits silently. */
function unreadable(value: object): string | undefined {
  const kinds = [Response, Blob, ReadableStream, ArrayBuffer];
  return kinds.find((kind) => value instanceof kind)?.name;
}

export function createToolError(message: string, cause?: unknown): Error {
  return adapterError("BRIDGED_TOOL_FAILED", message, cause === undefined ? {} : { cause });
}
