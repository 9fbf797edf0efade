import { coverValue } from "@haft/core/internal/records";
import type { ModelMessage } from "ai";

/** Messages as they are kept: what looks like a secret is covered, and of images stays that there was one. */
export function keptMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  return coverValue(messages.map(withoutImages));
}

function withoutImages(message: ModelMessage): ModelMessage {
  if (message.role !== "tool") return message;
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type !== "tool-result" || part.output.type !== "content") return part;
      const texts = part.output.value.map((block) =>
        "text" in block ? block.text : "[an image, which is not kept]",
      );
      return { ...part, output: { type: "text" as const, value: texts.join("\n\n") } };
    }),
  };
}
