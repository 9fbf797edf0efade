import { isObject } from "@haft/utils";
import type { HaftError } from "../../contract/errors.ts";
import { type ContentBlock, contentToText, type ToolResult } from "../../contract/result.ts";
import { coreError } from "../../errors.ts";

/**
 * Converts a tool's return value. Accepts results, strings, missing content (`(no output)`), missing or other details (as `{ value }`),
 * data URLs as image data and lone surrogates (replaced).
 *
 * @throws `TOOL_FAILED` with the text of a result that has `isError: true`, as in MCP and pi; `RESULT_INVALID` for anything else
 */
export function normalizeResult(value: unknown, toolName: string): ToolResult<Record<string, unknown>> {
  if (isProper(value)) return value;
  if (typeof value === "string") return { content: [noEmptyText(value)], details: {} };
  if (typeof value !== "object" || value === null) throw invalid(toolName, `it returned ${nameOf(value)}`);
  const { content, details, receipt } = value as Partial<ToolResult>;
  if (!Array.isArray(content))
    throw invalid(toolName, `its content is ${nameOf(content)}, not an array of blocks`);
  const blocks = content.map((block: unknown, index) => normalizeBlock(block, index, toolName));
  if ((value as { isError?: unknown }).isError === true)
    throw coreError("TOOL_FAILED", contentToText(blocks) || `${toolName} failed without a text.`);
  const result: ToolResult<Record<string, unknown>> = {
    content: blocks.length === 0 ? [noEmptyText("")] : blocks,
    details: normalizeDetails(details),
  };
  if (receipt === "none" || receipt === "committed" || receipt === "unknown") result.receipt = receipt;
  return result;
}

function isProper(value: unknown): value is ToolResult<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const { content, details, receipt } = value as Partial<ToolResult>;
  if (!Array.isArray(content) || content.length === 0 || !isObject(details) || "isError" in value)
    return false;
  if (receipt !== undefined && receipt !== "none" && receipt !== "committed" && receipt !== "unknown")
    return false;
  for (const block of content as unknown[]) {
    if (!isProperBlock(block)) return false;
  }
  return true;
}

function isProperBlock(block: unknown): boolean {
  if (!isObject(block)) return false;
  const { type, text, language, data, mimeType } = block;
  if (type === "text") {
    return (
      typeof text === "string" &&
      text.isWellFormed() &&
      (language === undefined || typeof language === "string")
    );
  }
  return type === "image" && isImageType(mimeType) && typeof data === "string" && isBase64Start(data);
}

function normalizeBlock(block: unknown, index: number, toolName: string): ContentBlock {
  if (typeof block === "string") return { type: "text", text: block.toWellFormed() };
  const wrong = (problem: string): HaftError => invalid(toolName, `content[${index}] ${problem}`);
  if (!isObject(block)) throw wrong(`is ${nameOf(block)}, not a block`);
  const { type, text, language, data, mimeType } = block;
  if (type === "text") {
    if (typeof text !== "string") throw wrong(`is a text block whose text is ${nameOf(text)}`);
    const normal = { type: "text" as const, text: text.toWellFormed() };
    return typeof language === "string" ? { ...normal, language } : normal;
  }
  if (type !== "image")
    throw wrong(`has the type ${JSON.stringify(String(type).slice(0, 40))}, not text or image`);
  if (!isImageType(mimeType)) throw wrong(`is an image without an image type`);
  const base64 = typeof data === "string" ? data.replace(/^data:[^,]{0,100},/, "") : "";
  if (!isBase64Start(base64)) throw wrong("is an image whose data is not base64");
  return { type: "image", data: base64, mimeType };
}

function normalizeDetails(details: unknown): Record<string, unknown> {
  if (details === undefined || details === null) return {};
  return isObject(details) ? details : { value: details };
}

function noEmptyText(text: string): ContentBlock {
  return { type: "text", text: text === "" ? "(no output)" : text.toWellFormed() };
}

function isImageType(value: unknown): value is string {
  return typeof value === "string" && /^image\/[\w.+-]{1,60}$/.test(value);
}

function isBase64Start(data: string): boolean {
  return /^[A-Za-z0-9+/]{4}[A-Za-z0-9+/=]*$/.test(data.slice(0, 64));
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}

function invalid(toolName: string, problem: string): HaftError {
  return coreError("RESULT_INVALID", `The result of ${toolName} is malformed: ${problem}.`);
}
