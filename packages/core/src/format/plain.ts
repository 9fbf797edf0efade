import type { ContentBlock } from "../contract/result.ts";
import { imageFacts } from "./image-facts.ts";
import { visibleText } from "./visible-text.ts";

/** Content as plain text: no markup added, no terminal sequences or control characters left. */
export function formatPlain(content: readonly ContentBlock[]): string {
  return content
    .map((block) => {
      if (block.type === "image") return `Image (${imageFacts(block)})`;
      const text = visibleText(block.text);
      return text.trim() === "" ? "(no output)" : text.replace(/\n+$/, "");
    })
    .join("\n\n");
}
