import { textOf, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { dynamicTool, jsonSchema } from "ai";
import type { JSONSchema7, Tool, ToolCallRepairFunction, ToolResultPart, ToolSet } from "ai";

/** What `generateText` and `streamText` need to run a session's tools. */
export interface AiSdkTools {
  tools: ToolSet;
  repairToolCall: ToolCallRepairFunction<ToolSet>;
  /** One call after the other: the model wrote them in this order. */
  toolCallConcurrency: 1;
}

/**
 * The tools of a session as tools of the AI SDK: `streamText({ model, prompt, ...aiSdkTools(session) })`.
 * The SDK validates nothing: every call goes through `session.call()`, also one with a name that was
 * not offered or with broken JSON, so that the kernel answers it and the ledger knows of it. A call
 * that fails or is blocked tells the model so in its result; nothing is thrown.
 */
export function aiSdkTools(session: Session): AiSdkTools {
  const offered = session
    .tools()
    .map(({ name, description, parameters }) => [
      name,
      toolOf(session, name, description, parameters as JSONSchema7),
    ]);
  return {
    tools: Object.fromEntries(offered) as ToolSet,
    repairToolCall: async ({ toolCall, tools }) => {
      const { toolName, input } = toolCall;
      // Not enumerable: the SDK finds it under this name, and does not offer it to the model.
      if (!Object.hasOwn(tools, toolName)) {
        Object.defineProperty(tools, toolName, { value: toolOf(session, toolName, "", { type: "object" }) });
      }
      return isJson(input) ? toolCall : { ...toolCall, input: JSON.stringify(input) };
    },
    toolCallConcurrency: 1,
  };
}

function toolOf(session: Session, name: string, description: string, parameters: JSONSchema7): Tool {
  return dynamicTool({
    description,
    inputSchema: jsonSchema(parameters),
    execute: (input, { toolCallId, abortSignal }) =>
      session.call({ id: toolCallId, name, arguments: input }, abortSignal ? { signal: abortSignal } : {}),
    toModelOutput: ({ output }) => modelOutput(output as ToolOutcome),
  });
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
        : {
            type: "file" as const,
            data: { type: "data" as const, data: block.data },
            mediaType: block.mimeType,
          },
    ),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
