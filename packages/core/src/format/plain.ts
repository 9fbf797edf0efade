import { visibleText } from "@haft/utils";
import type { ContentBlock, ImageBlock } from "../contract/result.ts";

/** Adds no markup and removes terminal sequences and control characters. */
export function formatPlain(content: readonly ContentBlock[]): string {
  return content
    .map((block) => {
      if (block.type === "image") return `Image (${describeImage(block)})`;
      const text = visibleText(block.text);
      return text.trim() === "" ? "(no output)" : text.replace(/\n+$/, "");
    })
    .join("\n\n");
}

export function describeImage(block: ImageBlock): string {
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(block.mimeType) ? block.mimeType : "image";
  const padding = block.data.endsWith("==") ? 2 : block.data.endsWith("=") ? 1 : 0;
  return `${type}, ${byteSize(Math.max(0, Math.floor(block.data.length * 0.75) - padding))}`;
}

function byteSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}
