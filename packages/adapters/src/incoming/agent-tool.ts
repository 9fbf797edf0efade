import type { ToolResult } from "@haft/core";
import { asRecord } from "@haft/utils";
import { readResult, createToolError } from "../results/read-result.ts";
import type { ForeignCall, ForeignTool, Hints, Method } from "./foreign-tool.ts";

/**
 * A tool as agents have it that come of pi: `execute(toolCallId, params, signal, onUpdate, ctx)`.
 *
 * @param contextOf what it gets last
 * @param failed whether a result says, in its agent's own way, that the tool failed
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
