import type { ModelMessage, ToolResultPart } from "ai";
import type { CallAnswer } from "./run-calls.ts";

/** Marks results of waiting calls; providers ignore unknown keys. */
const OURS = "haft";

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
