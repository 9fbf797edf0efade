import type { ModelMessage } from "ai";

/** Every call of a conversation with what it was answered, as `name: text`. */
export function exchanges(messages: readonly ModelMessage[]): string[] {
  const answers = new Map(
    messages.flatMap((message) =>
      message.role === "tool"
        ? message.content.flatMap((part) =>
            part.type === "tool-result"
              ? [[part.toolCallId, (part.output as { value: string }).value] as const]
              : [],
          )
        : [],
    ),
  );
  return messages.flatMap(({ role, content }) =>
    role !== "assistant" || typeof content === "string"
      ? []
      : content.flatMap((part) =>
          part.type === "tool-call"
            ? [`${part.toolName}: ${answers.get(part.toolCallId) ?? "no answer"}`]
            : [],
        ),
  );
}
