import type { Plugin } from "@haft/core";
import { asRecord } from "@haft/core/internal";
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

/** How tools of the OpenAI Agents SDK are taken in. */
export interface OpenAIAgentsOptions extends BridgeOptions {
  /**
   * Makes the run context that tools get, once for all of them: `() => new RunContext(mine)`. Default: one of the same shape
   * with an empty `context`.
   */
  runContext?: () => object;
}

/** What the SDK's `tool()` answers instead of any error, unless its author says otherwise. */
const HIDDEN_ERROR = "An error occurred while running the tool. Please try again.";

/**
 * Tools of the OpenAI Agents SDK, made with its `tool()`, as a plugin. Their own schema validates once more, `isEnabled` is asked
 * for each session, and a call that `needsApproval` is asked about.
 *
 * Tools that OpenAI runs, and tools with guardrails, which only the SDK's runner applies, are left out with the reason.
 *
 * @throws HaftError `BRIDGE_INVALID`
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

/** What tools may look at. Everything that is called was approved: the kernel asked before. */
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
