import { getErrorMessage, type Plugin, type ToolResult } from "@haft/core";
import { asRecord } from "@haft/utils";
import { adapterError } from "../errors.ts";
import type { BridgeOptions } from "../incoming/bridge-options.ts";
import { createBridgeError } from "../incoming/check-options.ts";
import {
  toApprovalCheck,
  type ForeignCall,
  type ForeignTool,
  type Hints,
  type Method,
} from "../incoming/foreign-tool.ts";
import { makePlugin } from "../incoming/make-plugin.ts";
import { readResult, createToolError } from "../results/read-result.ts";

/**
 * Options of {@link fromMastra}.
 *
 * @example
 * ```ts
 * import type { MastraOptions } from "@haft/adapters/mastra";
 * const requestContext = new Map([["region", "eu-central"]]);
 * const options: MastraOptions = { id: "orders", effects: { "list-orders": ["read"] }, requestContext };
 * ```
 */
export interface MastraOptions extends BridgeOptions {
  /** The tools' `context.requestContext`: a `RequestContext`, or an object with a `get` method. */
  requestContext?: object;
}

/**
 * Makes a plugin of tools of Mastra's `createTool()`: a list, or an object with any keys; the tools' `id` is their name. Hints in
 * `mcp.annotations` count without an entry in `effects`. A call with `requireApproval` needs approval; a call that suspends fails, because
 * a session cannot resume it.
 *
 * @throws `BRIDGE_INVALID` for a nameless tool or invalid options
 *
 * @example
 * ```ts run
 * import { fromMastra } from "@haft/adapters/mastra";
 * const ping = {
 *   id: "ping",
 *   description: "Answers pong.",
 *   inputSchema: { type: "object", properties: {} },
 *   execute: async () => "pong",
 * };
 * export default fromMastra([ping], { id: "health", effects: ["read"] });
 * ```
 */
export function fromMastra(
  tools: readonly object[] | Readonly<Record<string, object>>,
  options: MastraOptions,
): Plugin {
  if (typeof tools !== "object" || tools === null)
    throw createBridgeError(
      "fromMastra takes a list of tools, or an object of them.",
      'fromMastra([getWeather], { id: "weather" })',
    );
  const list: unknown[] = Array.isArray(tools) ? tools : Object.values(tools);
  const adapted = list.map((tool) => foreignTool(asRecord(tool), options));
  return makePlugin("fromMastra", adapted, options, { more: ["requestContext"] });
}

function foreignTool(tool: Record<string, unknown>, options: MastraOptions): ForeignTool {
  const { id, title, description, inputSchema, execute, requireApproval, needsApprovalFn, mcp } = tool;
  return {
    name: id as string,
    label: title,
    description,
    refused: typeof execute === "function" ? undefined : "has no execute: a client runs it",
    schema: inputSchema,
    hints: asRecord(mcp)["annotations"] as Hints | undefined,
    needsApproval: toApprovalCheck(
      typeof needsApprovalFn === "function" ? needsApprovalFn : requireApproval,
      (asks, args) => asks(args, {}),
    ),
    run: (call) => (execute as Method).call(tool, call.args, contextOf(id, call, options.requestContext)),
    read: readOutput,
  };
}

function contextOf(id: unknown, call: ForeignCall, requestContext: object | undefined): object {
  const { toolCallId, signal, update } = call;
  const suspend = async () => {
    throw adapterError(
      "BRIDGED_API_MISSING",
      `${String(id)} suspended its run to wait for an answer, and nothing here would resume it.`,
    );
  };
  const write = async (chunk: unknown) => update(chunk);
  return {
    abortSignal: signal,
    ...(requestContext !== undefined && { requestContext }),
    writer: { write, custom: write },
    suspend,
    agent: { agentId: call.context.agentId, toolCallId, messages: [], suspend },
    observe: { span: async (_name: string, run: () => unknown) => run(), log() {} },
  };
}

/** Mastra returns a validation error as a value. */
function readOutput(value: unknown): ToolResult {
  if (typeof value === "object" && value !== null) {
    const { error, message } = value as { error?: unknown; message?: unknown };
    if (error === true && "validationErrors" in value) throw createToolError(getErrorMessage(message));
  }
  return readResult(value);
}
