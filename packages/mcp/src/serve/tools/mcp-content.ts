/** Where a tool puts what only clients of MCP have: in the `details` of its result, a list of {@link McpBlock}. */
export const MCP_CONTENT = "mcp:content";

/** Characters of the text of one resource: what models read is bounded by their session, and this is beside it. */
const MAX_TEXT_LENGTH = 50_000;

/** A block of a result that Haft has no word for: a sound, a resource, a link to one. As the protocol has them; data is base64. */
export type McpBlock =
  | { type: "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: string }) }
  | { type: "resource_link"; uri: string; name: string; mimeType?: string; description?: string };

/** Those of a result. What is none is left out, and so is a text of more than 50,000 characters. */
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
