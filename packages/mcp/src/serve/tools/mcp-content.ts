/**
 * Key in a result's `details` for content that only MCP clients support: a list of {@link McpBlock}.
 *
 * @example
 * ```ts
 * import { text, type ToolResult } from "@haft/core";
 * import { MCP_CONTENT, type McpBlock } from "@haft/mcp";
 * const report: McpBlock = { type: "resource_link", uri: "file:///srv/report.pdf", name: "report.pdf" };
 * const result: ToolResult = { content: [text("The report is ready.")], details: { [MCP_CONTENT]: [report] } };
 * ```
 */
export const MCP_CONTENT = "mcp:content";

/** Characters of a resource, because the session's limit does not apply. */
const MAX_TEXT_LENGTH = 50_000;

/**
 * Contains audio, a resource or a link to one, in the protocol's format. Binary data is base64.
 *
 * @example
 * ```ts
 * import type { McpBlock } from "@haft/mcp";
 * const audio: McpBlock = { type: "audio", mimeType: "audio/wav", data: Buffer.from("RIFF").toString("base64") };
 * ```
 */
export type McpBlock =
  | { type: "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: string }) }
  | { type: "resource_link"; uri: string; name: string; mimeType?: string; description?: string };

export function extraContent(details: Readonly<Record<string, unknown>>): McpBlock[] {
  const given = details[MCP_CONTENT];
  return Array.isArray(given) ? given.filter(isBlock) : [];
}

function isBlock(block: unknown): block is McpBlock {
  const { type, data, mimeType, uri, name, resource } = Object(block) as Record<string, unknown>;
  if (type === "audio") return typeof data === "string" && typeof mimeType === "string";
  if (type === "resource_link") return typeof uri === "string" && typeof name === "string";
  if (type !== "resource") return false;
  const { uri: of, text, blob } = Object(resource) as Record<string, unknown>;
  return (
    typeof of === "string" &&
    (typeof text === "string" ? text.length <= MAX_TEXT_LENGTH : typeof blob === "string")
  );
}
