import { type ContentBlock, formatToolResult, type ImageBlock, contentToText } from "@haft/core";

/** Formats type, size and location of an image. */
export function formatImageLine(
  image: ImageBlock,
  where = "not shown: this API takes no image of that type",
): string {
  return `[${formatToolResult({ content: [image] }, "plain")}; ${where}]`;
}

/** Each image becomes a line. */
export function formatContent(content: readonly ContentBlock[], line: (image: ImageBlock) => string): string {
  return contentToText(
    content.map((block) => (block.type === "text" ? block : { type: "text", text: line(block) })),
  );
}

/** The types that OpenAI and Anthropic accept. */
export function isWebImage({ mimeType }: ImageBlock): boolean {
  return /^image\/(?:jpeg|png|gif|webp)$/.test(mimeType);
}
