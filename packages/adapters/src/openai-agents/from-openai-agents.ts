import type { Plugin } from "@haft/core";
import { asRecord } from "@haft/utils";
import type { BridgeOptions } from "../incoming/bridge-options.ts";
import { createBridgeError } from "../incoming/check-options.ts";
import {
  toApprovalCheck,
  type ForeignCall,
  type ForeignTool,
  type Method,
} from "../incoming/foreign-tool.ts";
import { makePlugin } from "../incoming/make-plugin.ts";
import { readResult, createToolError } from "../results/read-result.ts";

/**
 * Options of {@link fromOpenAIAgents}.
 *
 * @example
 * ```ts
 * import type { OpenAIAgentsOptions } from "@haft/adapters/openai-agents";
 * import { RunContext } from "@openai/agents-core";
 * const options: OpenAIAgentsOptions = {
 *   id: "mail",
 *   effects: ["network"],
 *   runContext: () => new RunContext({ mailbox: "support" }),
 * };
 * ```
 */
export interface OpenAIAgentsOptions extends BridgeOptions {
  /** Makes the run context of all tools, once. Default: a run context with an empty `context`. */
  runContext?: () => object;
}

/** The SDK's `tool()` returns this text for any error by default. */
const HIDDEN_ERROR = "An error occurred while running the tool. Please try again.";

/**
 * Makes a plugin of tools of the OpenAI Agents SDK's `tool()`. The tools' own schemas validate again, `isEnabled` is evaluated for each
 * session, and a call with `needsApproval` needs approval.
 *
 * Tools that OpenAI runs are omitted, and tools with guardrails, which only the SDK's runner applies; `session.diagnostics()` has the
 * reason.
 *
 * @throws `BRIDGE_INVALID` for a nameless tool or invalid options
 *
 * @example
 * ```ts run
 * import { fromOpenAIAgents } from "@haft/adapters/openai-agents";
 * import { tool } from "@openai/agents-core";
 * import { z } from "zod";
 * const parameters = z.object({ a: z.number(), b: z.number() });
 * const add = tool({ name: "add", description: "Adds two numbers.", parameters, execute: ({ a, b }) => a + b });
 * export default fromOpenAIAgents([add], { id: "sums", effects: [] });
 * ```
 */
export function fromOpenAIAgents(tools: readonly object[], options: OpenAIAgentsOptions): Plugin {
  if (!Array.isArray(tools))
    throw createBridgeError(
      "fromOpenAIAgents takes a list of tools.",
      'fromOpenAIAgents([getWeather], { id: "weather" })',
    );
  let made: object | undefined;
  const runContext = () => (made ??= options.runContext?.() ?? emptyRunContext());
  const adapted = tools.map((tool) => foreignTool(asRecord(tool), options, runContext));
  return makePlugin("fromOpenAIAgents", adapted, options, { more: ["runContext"] });
}

function foreignTool(
  tool: Record<string, unknown>,
  options: OpenAIAgentsOptions,
  runContext: () => object,
): ForeignTool {
  const { name, description, parameters, needsApproval, isEnabled } = tool;
  return {
    name: name as string,
    description,
    refused: refusalOf(tool),
    schema: parameters,
    needsApproval: toApprovalCheck(needsApproval, (asks, args) => asks(runContext(), args)),
    isOffered:
      typeof isEnabled === "function"
        ? () => (isEnabled as Method)(runContext(), { name: options.id })
        : undefined,
    run: (call) => invokeTool(tool, call, runContext()),
    read: (output) => {
      if (output === HIDDEN_ERROR)
        throw createToolError(
          `${String(name)} failed. Its errorFunction keeps the reason to itself: ${HIDDEN_ERROR}`,
        );
      return readResult(output);
    },
  };
}

function refusalOf(tool: Record<string, unknown>): string | undefined {
  const { type, invoke, inputGuardrails, outputGuardrails } = tool;
  if (type === "hosted_tool") return "is run by OpenAI. Give it to the model beside the tools of Haft";
  if (type !== "function" || typeof invoke !== "function")
    return `is no function tool (${String(type)}). Haft has its own tools for shells, patches and files`;
  const guarded = [inputGuardrails, outputGuardrails].some((list) => Array.isArray(list) && list.length > 0);
  return guarded ? "has guardrails, which only the runner of the Agents SDK applies" : undefined;
}

function invokeTool(
  { invoke, name }: Record<string, unknown>,
  { toolCallId, args, signal }: ForeignCall,
  context: object,
) {
  const text = JSON.stringify(args);
  const toolCall = {
    type: "function_call",
    callId: toolCallId,
    name,
    arguments: text,
    status: "in_progress",
  };
  return (invoke as Method)(context, text, { toolCall, signal });
}

/** Every call counts as approved, because the kernel asked before. */
function emptyRunContext(): object {
  return {
    context: {},
    usage: { requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    isToolApproved: () => true,
    getRejectionMessage: () => undefined,
    approveTool() {},
    rejectTool() {},
    toJSON: () => ({ context: {} }),
  };
}
