import { messageOf, type Plugin, type ToolResult } from "@haft/core";
import { adapterError } from "../errors.ts";
import type { BridgeOptions } from "../incoming/bridge-options.ts";
import { invalid, requireId } from "../incoming/check-options.ts";
import type { ForeignCall, ForeignTool, Hints } from "../incoming/foreign-tool.ts";
import { makePlugin } from "../incoming/make-plugin.ts";
import { readResult, toolFailed } from "../results/read-result.ts";
import { jsonSchemaOf } from "../schema/json-schema-of.ts";

/** How tools of Mastra are taken in. */
export interface MastraOptions extends BridgeOptions {
  /** What tools find as `context.requestContext`: a `RequestContext`, or anything with its `get`. */
  requestContext?: object;
}

interface MastraTool {
  id?: unknown;
  title?: unknown;
  description?: unknown;
  inputSchema?: unknown;
  execute?: unknown;
  requireApproval?: unknown;
  needsApprovalFn?: unknown;
  mcp?: { annotations?: Hints };
}

/**
 * Tools of Mastra, made with `createTool()`, as a plugin: a list of them, or an object by any names; their `id` counts. Hints of
 * their `mcp.annotations` count where `effects` says nothing. A call that `requireApproval` is asked about; one that suspends
 * fails, because nothing here would resume it.
 *
 * @throws HaftError `BRIDGE_INVALID`
 */
export function fromMastra(
  tools: readonly object[] | Readonly<Record<string, object>>,
  options: MastraOptions,
): Plugin {
  if (typeof tools !== "object" || tools === null)
    throw invalid(
      "fromMastra takes a list of tools, or an object of them.",
      'fromMastra([getWeather], { id: "weather" })',
    );
  requireId("fromMastra", options);
  const list = Array.isArray(tools) ? (tools as object[]) : Object.values(tools as Record<string, object>);
  const adapted = list.map((tool) => foreignTool(tool as MastraTool, options));
  return makePlugin("fromMastra", adapted, options, { more: ["requestContext"] });
}

function foreignTool(given: MastraTool, options: MastraOptions): ForeignTool {
  const tool = typeof given === "object" && given !== null ? given : {};
  const { id, title, description, inputSchema, requireApproval, needsApprovalFn, mcp } = tool;
  const asks = [needsApprovalFn, requireApproval].find((each) => typeof each === "function");
  return {
    name: id as string,
    label: typeof title === "string" ? title : undefined,
    description: typeof description === "string" ? description : undefined,
    refused: typeof tool.execute === "function" ? undefined : "has no execute: a client runs it",
    parameters: () => jsonSchemaOf(String(id), inputSchema, options.toJsonSchema),
    hints: mcp?.annotations,
    needsApproval:
      asks !== undefined
        ? (args) => (asks as (...given: unknown[]) => unknown)(args, {})
        : requireApproval === true
          ? () => true
          : undefined,
    run: (call) => execute(tool, call, options.requestContext),
    read: readOutput,
  };
}

function execute(tool: MastraTool, call: ForeignCall, requestContext: object | undefined): unknown {
  const { toolCallId, args, signal, update } = call;
  const suspend = async () => {
    throw adapterError(
      "BRIDGED_API_MISSING",
      `${String(tool.id)} suspended its run to wait for an answer, and nothing here would resume it.`,
    );
  };
  const write = async (chunk: unknown) => update(chunk);
  const context = {
    abortSignal: signal,
    ...(requestContext !== undefined && { requestContext }),
    writer: { write, custom: write },
    suspend,
    agent: { agentId: call.context.agentId, toolCallId, messages: [], suspend },
    observe: { span: async (_name: string, run: () => unknown) => run(), log() {} },
  };
  return (tool.execute as (...given: unknown[]) => unknown).call(tool, args, context);
}

/** Mastra answers what its own schemas refuse as a value. */
function readOutput(value: unknown): ToolResult {
  if (typeof value === "object" && value !== null) {
    const { error, message } = value as { error?: unknown; message?: unknown };
    if (error === true && "validationErrors" in value) throw toolFailed(messageOf(message));
  }
  return readResult(value);
}
