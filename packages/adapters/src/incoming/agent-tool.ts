import type { ToolResult } from "@haft/core";
import { readResult, toolFailed } from "../results/read-result.ts";
import { jsonSchemaOf } from "../schema/json-schema-of.ts";
import type { BridgeOptions } from "./bridge-options.ts";
import type { ForeignCall, ForeignTool, Hints } from "./foreign-tool.ts";

/** A tool as agents have it that come of pi: `execute(toolCallId, params, signal, onUpdate, ctx)`. */
export interface AgentTool {
  name?: unknown;
  label?: unknown;
  description?: unknown;
  parameters?: unknown;
  prepareArguments?: unknown;
  annotations?: Hints;
  execute?: unknown;
}

/**
 * Such a tool for a bridge.
 *
 * @param contextOf what it gets last
 * @param failed whether a result says, in its agent's own way, that the tool failed
 */
export function ofAgentTool(
  given: unknown,
  options: BridgeOptions,
  contextOf: (call: ForeignCall) => unknown,
  failed: (details: Record<string, unknown>) => boolean = () => false,
): ForeignTool {
  const tool: AgentTool = typeof given === "object" && given !== null ? given : {};
  const { name, label, description, parameters, annotations, prepareArguments } = tool;
  return {
    name: name as string,
    label: typeof label === "string" ? label : undefined,
    description: typeof description === "string" ? description : undefined,
    refused: refusalOf(tool),
    parameters: () => jsonSchemaOf(String(name), parameters, options.toJsonSchema),
    hints: annotations,
    run(call) {
      const { toolCallId, args, signal, update } = call;
      const prepared: unknown =
        typeof prepareArguments === "function" ? (prepareArguments as Method).call(tool, args) : args;
      return (tool.execute as Method).call(tool, toolCallId, prepared, signal, update, contextOf(call));
    },
    read(value): ToolResult {
      const result = readResult(value);
      if (!failed(result.details as Record<string, unknown>)) return result;
      const [first] = result.content;
      throw toolFailed(first?.type === "text" ? first.text : "The tool failed and gave no reason.");
    },
  };
}

type Method = (...given: unknown[]) => unknown;

function refusalOf({ execute, parameters }: AgentTool): string | undefined {
  if (typeof execute !== "function") return "has no execute";
  return parameters === undefined ? "has no parameters" : undefined;
}
