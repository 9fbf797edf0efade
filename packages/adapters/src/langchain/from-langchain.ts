import type { Plugin, ToolResult } from "@haft/core";
import { asRecord } from "@haft/utils";
import type { BridgeOptions } from "../incoming/bridge-options.ts";
import { createBridgeError } from "../incoming/check-options.ts";
import type { ForeignCall, ForeignTool, Method } from "../incoming/foreign-tool.ts";
import { makePlugin } from "../incoming/make-plugin.ts";
import { toDetails, readResult, createToolError } from "../results/read-result.ts";
import { toJson } from "../results/to-json.ts";

/**
 * Options of {@link fromLangChain}.
 *
 * @example
 * ```ts
 * import type { LangChainOptions } from "@haft/adapters/langchain";
 * const options: LangChainOptions = { id: "search", effects: ["network"], configurable: { index: "docs" } };
 * ```
 */
export interface LangChainOptions extends BridgeOptions {
  /** The value that tools read as `config.configurable`. */
  configurable?: Readonly<Record<string, unknown>>;
}

/**
 * Makes a plugin of tools of LangChain: results of `tool()`, structured and dynamic tools, and tools of a toolkit. The artifact of a result
 * becomes the `details`; values that a generator yields are progress.
 *
 * Schemas of zod 3 need `toJsonSchema` of `@langchain/core/utils/json_schema`.
 *
 * @throws `BRIDGE_INVALID` for a nameless tool or invalid options
 *
 * @example
 * ```ts run
 * import { fromLangChain } from "@haft/adapters/langchain";
 * import { tool } from "@langchain/core/tools";
 * import { z } from "zod";
 * const schema = z.object({ text: z.string() });
 * const upper = tool(({ text }) => text.toUpperCase(), { name: "upper", description: "Upper case.", schema });
 * export default fromLangChain([upper], { id: "texts", effects: [] });
 * ```
 */
export function fromLangChain(tools: readonly object[], options: LangChainOptions): Plugin {
  if (!Array.isArray(tools))
    throw createBridgeError(
      "fromLangChain takes a list of tools.",
      'fromLangChain([search], { id: "search" })',
    );
  const adapted = tools.map((tool) => foreignTool(asRecord(tool), options));
  return makePlugin("fromLangChain", adapted, options, { more: ["configurable"] });
}

function foreignTool(tool: Record<string, unknown>, options: LangChainOptions): ForeignTool {
  const { name, description, schema, invoke } = tool;
  return {
    name: name as string,
    description,
    refused:
      typeof invoke === "function"
        ? undefined
        : "has no invoke: it is a description of a tool, for a provider that runs it",
    schema: takesText(schema) ? TEXT : schema,
    run: (call) => invoked(tool, call, options.configurable),
    read: readMessage,
  };
}

/** Parameters of tools that take a text. */
const TEXT = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input, as text." } },
  required: ["input"],
  additionalProperties: false,
};

/** Whether it is the schema of `Tool`: an object of zod 3 with only `input`. */
function takesText(schema: unknown): boolean {
  const { typeName, schema: inner } = asRecord(asRecord(schema)["_def"]);
  return typeName === "ZodEffects" && Object.keys(asRecord(asRecord(inner)["shape"])).join() === "input";
}

/** After a whole tool call the tool returns a message, with its artifact and status. */
async function invoked(
  tool: Record<string, unknown>,
  { toolCallId, args, signal, update }: ForeignCall,
  configurable: Readonly<Record<string, unknown>> | undefined,
): Promise<unknown> {
  const call = { type: "tool_call", id: toolCallId, name: tool["name"], args };
  const config = {
    signal,
    ...(configurable !== undefined && { configurable: { ...configurable } }),
    callbacks: [{ name: "haft", handleToolEvent: (event: unknown) => update(event) }],
  };
  return (tool["invoke"] as Method).call(tool, call, config);
}

interface Message {
  content: unknown;
  artifact?: unknown;
  status?: unknown;
  tool_call_id: unknown;
}

function readMessage(value: unknown): ToolResult {
  if (!isMessage(value)) return readResult(value);
  const { content, artifact, status } = value;
  const result = readResult(content);
  if (status === "error") throw createToolError(typeof content === "string" ? content : toJson(content));
  return artifact === undefined ? result : { ...result, details: toDetails(artifact) };
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "tool_call_id" in value && "content" in value;
}
