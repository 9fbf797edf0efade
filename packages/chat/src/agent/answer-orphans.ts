import type { ModelMessage } from "ai";
import { resultPart } from "./result-part.ts";

const LOST =
  "Nobody knows how this call ended: its answer was lost. Look at what it did before you make it again.";

/**
 * A conversation that every provider takes: each call has one answer, right behind it, and each answer its call. What was cut
 * off somewhere, by a crash or by whoever keeps it, is mended so.
 */
export function answerOrphans(messages: readonly ModelMessage[]): ModelMessage[] {
  const mended: ModelMessage[] = [];
  let open = new Map<string, { toolCallId: string; toolName: string }>();
  const close = (): void => {
    if (open.size === 0) return;
    const content = Array.from(open.values(), (call) =>
      resultPart(call, { type: "error-text", value: LOST }),
    );
    const last = mended.at(-1);
    if (last?.role === "tool")
      mended[mended.length - 1] = { ...last, content: [...last.content, ...content] };
    else mended.push({ role: "tool", content });
    open = new Map();
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const content = message.content.filter(
        (part) => part.type !== "tool-result" || open.delete(part.toolCallId),
      );
      if (content.length > 0) mended.push({ ...message, content });
      continue;
    }
    close();
    mended.push(message);
    if (message.role !== "assistant" || typeof message.content === "string") continue;
    for (const part of message.content)
      if (part.type === "tool-call" && part.providerExecuted !== true) open.set(part.toolCallId, part);
  }
  close();
  return mended;
}
