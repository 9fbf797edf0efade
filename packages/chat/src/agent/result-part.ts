import type { ModelMessage, ToolResultPart } from "ai";
import type { CallAnswer } from "./run-calls.ts";

/** Under which a result says that its call waits for a decision. Providers pass over what is not theirs. */
const OURS = "haft";

/** A result in a conversation; of a call that waits, marked so that it is found once it is decided. */
export function resultPart(
  call: { toolCallId: string; toolName: string },
  output: CallAnswer["output"],
  waits = false,
): ToolResultPart {
  const { toolCallId, toolName } = call;
  return {
    type: "tool-result",
    toolCallId,
    toolName,
    output,
    ...(waits && { providerOptions: { [OURS]: { waits: true } } }),
  };
}

/** Whether the call of a result waited for a decision when the conversation went on without it. */
export function isWaiting(part: object): part is ToolResultPart {
  const { type, providerOptions } = part as Partial<ToolResultPart>;
  return type === "tool-result" && providerOptions?.[OURS]?.["waits"] === true;
}

export function listCallIds(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : [])),
  );
}
