import { textOf, type Session, type ToolOutcome } from "@haft/core";
import { dynamicTool, jsonSchema, type JSONSchema7, type ToolCallRepairFunction, type ToolResultPart, type ToolSet } from "ai";

/** What `generateText` and `streamText` need to run a session's tools. */
export interface AiSdkTools {
  tools: ToolSet;
  /** Calls the SDK would answer by itself (unknown name, broken JSON) go to the kernel too. */
  repairToolCall: ToolCallRepairFunction<ToolSet>;
  /** One call after the other: the model wrote them in this order. */
  toolCallConcurrency: 1;
}

/**
 * The tools of a session as tools of the AI SDK: `streamText({ model, prompt, ...aiSdkTools(session) })`.
 * The SDK validates nothing and every call goes through `session.call()`. A call that fails or is
 * blocked tells the model so in its result; nothing is thrown.
 */
export function aiSdkTools(session: Session): AiSdkTools {
  const tools = session.tools().map(({ name, description, parameters }) => [
    name,
    dynamicTool({
      description,
      inputSchema: jsonSchema(parameters as JSONSchema7),
      execute: (input, { toolCallId, abortSignal }) =>
        session.call(
          { id: toolCallId, name, arguments: input },
          abortSignal === undefined ? {} : { signal: abortSignal },
        ),
      toModelOutput: ({ output }) => modelOutput(output as ToolOutcome),
    }),
  ]);
  return {
    tools: Object.fromEntries(tools) as ToolSet,
    repairToolCall: (request) => repair(session, request),
    toolCallConcurrency: 1,
  };
}

async function repair(
  session: Session,
  { toolCall, tools, abortSignal }: Parameters<ToolCallRepairFunction<ToolSet>>[0],
): ReturnType<ToolCallRepairFunction<ToolSet>> {
  const { toolName = toolCall.toolName, found } = session.explain(toolCall.toolName);
  if (found === "visible" && Object.hasOwn(tools, toolName)) {
    // As a JSON string, arguments of any shape reach the kernel, which repairs or refuses them.
    return { ...toolCall, toolName, input: JSON.stringify(toolCall.input) };
  }
  const outcome = await session.call(
    { id: toolCall.toolCallId, name: toolCall.toolName, arguments: toolCall.input },
    abortSignal === undefined ? {} : { signal: abortSignal },
  );
  // The SDK has no other way to answer such a call; it gives the model the message of this error.
  throw new Error(textOf(outcome.content));
}

/** What the model reads of an outcome: its text, or its text and images in order. */
function modelOutput({ kind, content }: ToolOutcome): ToolResultPart["output"] {
  if (kind !== "ok") return { type: "error-text", value: textOf(content) };
  if (content.every(({ type }) => type === "text")) return { type: "text", value: textOf(content) };
  return {
    type: "content",
    value: content.map((block) =>
      block.type === "text"
        ? { type: "text" as const, text: block.text }
        : { type: "file" as const, data: { type: "data" as const, data: block.data }, mediaType: block.mimeType },
    ),
  };
}
