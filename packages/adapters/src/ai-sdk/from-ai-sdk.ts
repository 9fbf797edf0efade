import { type ContentBlock, getErrorMessage, type Plugin, text, type ToolResult } from "@haft/core";
import { asRecord } from "@haft/utils";
import { adapterError } from "../errors.ts";
import type { BridgeOptions } from "../incoming/bridge-options.ts";
import { createBridgeError, requireId } from "../incoming/check-options.ts";
import {
  toApprovalCheck,
  type ForeignCall,
  type ForeignTool,
  type Method,
} from "../incoming/foreign-tool.ts";
import { makePlugin } from "../incoming/make-plugin.ts";
import { contentBlock } from "../results/content-block.ts";
import { toDetails, readResult, createToolError } from "../results/read-result.ts";
import { toJson } from "../results/to-json.ts";

/** Tools of the AI SDK by name: a `ToolSet` of `tool()`, `dynamicTool()` or plain objects. */
export type AISDKSource = Readonly<Record<string, object>>;

/**
 * Options of {@link fromAISDK}.
 *
 * @example
 * ```ts
 * import type { AISDKOptions } from "@haft/adapters/ai-sdk";
 * const options: AISDKOptions = {
 *   id: "crm",
 *   effects: ["network"],
 *   toolsContext: { find_customer: { tenant: "acme" }, "*": {} },
 * };
 * ```
 */
export interface AISDKOptions extends BridgeOptions {
  /** The `context` of tools with a `contextSchema`, by tool name; `"*"` for tools without an entry. */
  toolsContext?: Readonly<Record<string, unknown>>;
}

/**
 * Makes a plugin of tools of the AI SDK. As in the SDK, the tool's schema validates and transforms the input, and `execute` receives
 * `toolCallId`, an abort signal and no messages. Values that a generator yields before the last are progress.
 *
 * Tools without `execute`, or that their provider runs, are omitted; `session.diagnostics()` has the reason.
 *
 * @throws `BRIDGE_INVALID` for a nameless tool or invalid options
 *
 * @example
 * ```ts run
 * import { fromAISDK } from "@haft/adapters/ai-sdk";
 * const weather = {
 *   description: "The weather of a city.",
 *   inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
 *   execute: async ({ city }: { city: string }) => ({ city, degrees: 21 }),
 * };
 * export default fromAISDK({ weather }, { id: "weather", effects: ["network"] });
 * ```
 */
export function fromAISDK(tools: AISDKSource, options: AISDKOptions): Plugin {
  if (typeof tools !== "object" || tools === null || Array.isArray(tools))
    throw createBridgeError(
      "fromAISDK takes an object of tools by their names.",
      'fromAISDK({ weather: tool({ … }) }, { id: "weather" })',
    );
  requireId("fromAISDK", options);
  const adapted = Object.entries(tools).map(([name, tool]) => foreignTool(name, tool, options));
  return makePlugin("fromAISDK", adapted, options, { more: ["toolsContext"] });
}

function foreignTool(name: string, tool: unknown, options: AISDKOptions): ForeignTool {
  const source = asRecord(tool);
  const { title, description, inputSchema, needsApproval } = source;
  const context = contextOf(name, options);
  return {
    name,
    label: title,
    description: typeof description === "function" ? made(description as Method, context) : description,
    refused: refusalOf(tool),
    schema: inputSchema,
    needsApproval: toApprovalCheck(needsApproval, (asks, args) =>
      asks(args, { toolCallId: "", messages: [], context }),
    ),
    run: (call) => run(source, call, context),
    // Streamed values have no id.
    read: (output) => (isRead(output) ? output.result : readResult(output)),
  };
}

function refusalOf(tool: unknown): string | undefined {
  if (typeof tool !== "object" || tool === null) return "is no tool";
  const { type, id, execute, inputSchema } = asRecord(tool);
  if (typeof execute === "function") {
    if (inputSchema === undefined && "parameters" in tool)
      return "is made for AI SDK 4 or older, which calls its schema parameters. Make it with a newer tool()";
    return undefined;
  }
  if (type === "provider" || type === "provider-defined" || type === "provider-executed")
    return `is run by its provider (${String(id)}), and by nobody else. Give it to the model beside the tools of Haft`;
  return "has no execute: it only describes itself, for a client that runs it";
}

function made(description: Method, context: unknown): unknown {
  try {
    return description({ context });
  } catch {
    return undefined;
  }
}

function contextOf(name: string, { toolsContext = {} }: AISDKOptions): unknown {
  return Object.hasOwn(toolsContext, name) ? toolsContext[name] : toolsContext["*"];
}

/** Holds a result that was read during its call. */
class ReadResult {
  readonly result: ToolResult;
  constructor(result: ToolResult) {
    this.result = result;
  }
}

function isRead(value: unknown): value is ReadResult {
  return value instanceof ReadResult;
}

async function run(tool: Record<string, unknown>, call: ForeignCall, context: unknown): Promise<unknown> {
  const { inputSchema, execute, toModelOutput } = tool;
  const { toolCallId, signal } = call;
  const input = await validated(inputSchema, call.args);
  const output: unknown = await (execute as Method).call(tool, input, {
    toolCallId,
    messages: [],
    abortSignal: signal,
    context,
    // The same for AI SDK 5 and 6.
    experimental_context: context,
  });
  if (typeof toModelOutput !== "function") return output;
  // The tool's own text for the model takes precedence; the value stays in details.
  const show = async (each: unknown) => {
    const shown: unknown = await (toModelOutput as Method).call(tool, { toolCallId, input, output: each });
    return new ReadResult({ content: contentOf(asRecord(shown)), details: toDetails(each) });
  };
  return isAsyncIterable(output) ? shownOneByOne(output, show) : show(output);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Returns the stream's own iterator, so that it learns when its reader stops. */
function shownOneByOne(
  outputs: AsyncIterable<unknown>,
  show: (output: unknown) => Promise<ReadResult>,
): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = outputs[Symbol.asyncIterator]();
      return {
        async next() {
          const step = await iterator.next();
          return step.done === true
            ? { done: true, value: undefined }
            : { done: false, value: await show(step.value) };
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function contentOf({ type, value, reason }: Record<string, unknown>): ContentBlock[] {
  if (type === "text") return [text(String(value))];
  if (type === "json") return [text(toJson(value))];
  if (type === "content" && Array.isArray(value)) return value.map(contentBlock);
  if (type === "error-text" || type === "error-json")
    throw createToolError(typeof value === "string" ? value : toJson(value));
  if (type === "execution-denied")
    throw createToolError(`The tool refused: ${getErrorMessage(reason ?? "it gave no reason")}`);
  throw adapterError(
    "BRIDGED_TOOL_FAILED",
    `toModelOutput of the tool answered ${toJson(type)}, which is unknown.`,
  );
}

const OF_AI_SDK = Symbol.for("vercel.ai.schema");
/** Limits the message of a schema, in characters. */
const LONGEST = 2_000;

/**
 * Validates and transforms input with the tool's own schema, as the AI SDK does. The kernel validates plain JSON Schema.
 *
 * @throws `INVALID_ARGUMENTS`
 */
async function validated(schema: unknown, input: unknown): Promise<unknown> {
  const given =
    typeof schema === "function" && !("~standard" in schema) ? (schema as () => unknown)() : schema;
  if (typeof given !== "object" && typeof given !== "function") return input;
  if (given === null) return input;
  const { "~standard": standard, validate } = given as {
    "~standard"?: { validate?: (value: unknown) => unknown };
    validate?: unknown;
  };
  if (typeof standard?.validate === "function") {
    const result = (await standard.validate(input)) as { value?: unknown; issues?: readonly Issue[] };
    if (result.issues === undefined) return result.value;
    throw invalidInput(result.issues.map(issueText).join("; "));
  }
  if (OF_AI_SDK in given && typeof validate === "function") {
    const result = (await validate(input)) as { success: boolean; value?: unknown; error?: unknown };
    if (result.success) return result.value;
    throw invalidInput(getErrorMessage(result.error));
  }
  return input;
}

interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[];
}

function issueText({ message, path = [] }: Issue): string {
  const keys = path.map((key) => String(typeof key === "object" ? key.key : key));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}

function invalidInput(problem: string): Error {
  return adapterError(
    "INVALID_ARGUMENTS",
    `The tool's own schema refuses the arguments: ${problem.slice(0, LONGEST)}`,
  );
}
