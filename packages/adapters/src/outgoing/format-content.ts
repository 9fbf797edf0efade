import { type ContentBlock, formatToolResult, type ImageBlock, contentToText } from "@haft/core";

/** Formats type, size and location of an image. Without a location, the image is not shown. */
export function formatImageLine(
  image: ImageBlock,
  where = "not shown: this API takes no image of that type",
): string {
  return `[${formatToolResult({ content: [image] }, "plain")}; ${where}]`;
}

/** Formats a result as one text, with a line in place of each image. */
export function formatContent(content: readonly ContentBlock[], line: (image: ImageBlock) => string): string {
  return contentToText(
    content.map((block) => (block.type === "text" ? block : { type: "text", text: line(block) })),
  );
}

/** The types that OpenAI and Anthropic accept. */
export function isWebImage({ mimeType }: ImageBlock): boolean {
  return /^image\/(?:jpeg|png|gif|webp)$/.test(mimeType);
}
