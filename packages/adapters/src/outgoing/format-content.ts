import { type ContentBlock, formatToolResult, type ImageBlock, contentToText } from "@haft/core";

/** An image as a line: its type, its size, and where it is; where nothing is said of that, it is nowhere. */
export function formatImageLine(
  image: ImageBlock,
  where = "not shown: this API takes no image of that type",
): string {
  return `[${formatToolResult({ content: [image] }, "plain")}; ${where}]`;
}

/** A result as one text: an image is a line in its place, which says where it is. */
export function formatContent(content: readonly ContentBlock[], line: (image: ImageBlock) => string): string {
  return contentToText(
    content.map((block) => (block.type === "text" ? block : { type: "text", text: line(block) })),
  );
}

/** Of the types that OpenAI and Anthropic take. */
export function isWebImage({ mimeType }: ImageBlock): boolean {
  return /^image\/(?:jpeg|png|gif|webp)$/.test(mimeType);
}
