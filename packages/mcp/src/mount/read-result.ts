import { type ContentBlock, text, contentToText, type ToolResult } from "@haft/core";
import { isObject } from "@haft/utils";
import { isDeepStrictEqual } from "node:util";
import { mcpError } from "../errors.ts";

/** Characters of structured content stored as details. */
const MAX_DETAILS_LENGTH = 256 * 1024;

/**
 * Converts a server's answer to a result. One line describes content that models cannot read.
 *
 * @throws HaftError `MCP_TOOL_FAILED` if the answer is an error
 */
export function readMcpResult(
  given: unknown,
  { server, tool, notices }: { server: string; tool: string; notices: readonly string[] },
): ToolResult {
  const result = isObject(given) ? given : {};
  const parts = Array.isArray(result["content"]) ? (result["content"] as unknown[]) : [];
  const content = parts.map(blockOf);
  const structured = result["structuredContent"];
  const json = structured === undefined ? undefined : JSON.stringify(structured);
  const isError = result["isError"] === true;
  // A model sees the text only. The text of a result usually repeats the structure; that of an error does not.
  if (
    json !== undefined &&
    (isError || !content.some(({ type }) => type === "text")) &&
    !repeats(content, structured)
  )
    content.push(text(json, "json"));
  if (notices.length > 0) content.push(text(notices.join("\n")));
  const details = {
    server,
    tool,
    ...(json !== undefined && json.length <= MAX_DETAILS_LENGTH && { structuredContent: structured }),
  };
  if (isError)
    throw mcpError(
      "MCP_TOOL_FAILED",
      contentToText(content) || `The tool ${tool} of the server ${server} failed without a reason.`,
      { details },
    );
  return { content, details };
}

function repeats(content: readonly ContentBlock[], structured: unknown): boolean {
  return content.some((block) => {
    if (block.type !== "text") return false;
    try {
      return isDeepStrictEqual(JSON.parse(block.text), structured);
    } catch {
      return false;
    }
  });
}

function blockOf(part: unknown): ContentBlock {
  if (!isObject(part)) return text(JSON.stringify(part));
  const { type, data, mimeType, resource, uri, name, description } = part;
  if (type === "text" && typeof part["text"] === "string") return text(part["text"]);
  if (type === "image" && isEncoded(data) && isImage(mimeType)) return { type: "image", data, mimeType };
  if ((type === "image" || type === "audio") && typeof data === "string")
    return text(`[${shown(mimeType)}, ${Math.floor(data.length * 0.75)} bytes; it cannot be shown]`);
  if (type === "resource_link")
    return text(
      `[${[name, uri, mimeType, description].filter((each) => typeof each === "string").join(", ")}]`,
    );
  if (type === "resource" && isObject(resource)) {
    if (typeof resource["text"] === "string") return text(`[${shown(resource["uri"])}]\n${resource["text"]}`);
    const { blob } = resource;
    if (isEncoded(blob) && isImage(resource["mimeType"]))
      return { type: "image", data: blob, mimeType: resource["mimeType"] };
    const size = typeof blob === "string" ? Math.floor(blob.length * 0.75) : 0;
    return text(`[${shown(resource["uri"])}, ${size} bytes; they cannot be shown]`);
  }
  return text(JSON.stringify(part));
}

function isEncoded(data: unknown): data is string {
  return typeof data === "string" && /^[\w+/-]{4}/.test(data);
}

function isImage(mimeType: unknown): mimeType is string {
  return typeof mimeType === "string" && /^image\/[\w.+-]{1,60}$/.test(mimeType);
}

function shown(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 500) : "something";
}
