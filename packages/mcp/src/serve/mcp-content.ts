import type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ResourceLink,
} from "@modelcontextprotocol/server";

/** Where a tool puts what only clients of MCP have: in the `details` of its result. */
export const MCP_CONTENT = "mcp:content";

/** Characters of the text of one resource: what models read is bounded by their session, and this is beside it. */
const MOST_OF_TEXT = 50_000;

type Extra = AudioContent | EmbeddedResource | ResourceLink;

/** Blocks of a result that Haft has no word for: sounds, resources and links to them. Its own blocks are no part of it. */
export function extraContent(details: Readonly<Record<string, unknown>>): ContentBlock[] {
  const given = details[MCP_CONTENT];
  return Array.isArray(given) ? given.filter(isExtra) : [];
}

function isExtra(block: unknown): block is Extra {
  const { type, data, mimeType, uri, name, resource } = Object(block) as Record<string, unknown>;
  if (type === "audio") return typeof data === "string" && typeof mimeType === "string";
  if (type === "resource_link") return typeof uri === "string" && typeof name === "string";
  if (type !== "resource") return false;
  const { uri: of, text, blob } = Object(resource) as Record<string, unknown>;
  return (
    typeof of === "string" &&
    (typeof text === "string" ? text.length <= MOST_OF_TEXT : typeof blob === "string")
  );
}
