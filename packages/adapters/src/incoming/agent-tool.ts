import type { ToolResult } from "@haft/core";
import { asRecord } from "@haft/utils";
import { readResult, createToolError } from "../results/read-result.ts";
import type { ForeignCall, ForeignTool, Hints, Method } from "./foreign-tool.ts";

/**
 * Converts a tool of an agent that derives from pi: `execute(toolCallId, params, signal, onUpdate, ctx)`.
 *
 * @param contextOf returns the last argument
 * @param failed whether a result reports a failure in its agent's form
 */
export function fromAgentTool(
  given: unknown,
  contextOf: (call: ForeignCall) => unknown,
  failed: (details: Record<string, unknown>) => boolean = () => false,
): ForeignTool {
  const tool = asRecord(given);
  const { name, label, description, parameters, annotations, prepareArguments, execute } = tool;
  return {
    name: name as string,
    label,
    description,
    refused:
      typeof execute !== "function"
        ? "has no execute"
        : parameters === undefined
          ? "has no parameters"
          : undefined,
    schema: parameters,
    hints: annotations as Hints | undefined,
    run(call) {
      const { toolCallId, args, signal, update } = call;
      const prepared: unknown =
        typeof prepareArguments === "function" ? (prepareArguments as Method).call(tool, args) : args;
      return (execute as Method).call(tool, toolCallId, prepared, signal, update, contextOf(call));
    },
    read(value): ToolResult {
      const result = readResult(value);
      if (!failed(result.details as Record<string, unknown>)) return result;
      const [first] = result.content;
      throw createToolError(first?.type === "text" ? first.text : "The tool failed and gave no reason.");
    },
  };
}
