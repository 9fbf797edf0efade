import { HaftError, text, type ToolOutcome, type ToolResult, type ToolUpdate } from "@haft/core";
import type { CallRequest, Session } from "@haft/core/kernel";
import { asRecord } from "@haft/utils";
import { CallIds } from "../outgoing/call-ids.ts";
import { type Caller, createCaller } from "../outgoing/caller.ts";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { streamProgress } from "../outgoing/progress.ts";
import { ANY_PROVIDER, toProviderTools, type ProviderTool } from "../outgoing/provider-tools.ts";
import { readName } from "../outgoing/read-name.ts";
import {
  type CallSender,
  createRefusedOutcome,
  resolveSender,
  type CallSenderSource,
} from "../outgoing/sender.ts";
import { type AnswerOptions, createAnswer, type Turn } from "../outgoing/turn.ts";
import { standardSchema } from "../schema/standard-schema.ts";
import { askGraph, type GraphAnswer, type Interrupt } from "./ask-graph.ts";
import {
  langchainArguments,
  langchainFields,
  type LangChainMessage,
  createLangChainFormat,
  type ToolMessageFields,
} from "./langchain-format.ts";

/**
 * Options of {@link toLangChain}: functions of the caller's copy of LangChain.
 *
 * @example
 * ```ts
 * import type { ToLangChainOptions } from "@haft/adapters/langchain";
 * import { ToolMessage } from "@langchain/core/messages";
 * import { tool } from "@langchain/core/tools";
 * const options = {
 *   tool,
 *   ToolMessage,
 *   sender: (config: unknown) => ({ id: (config as { configurable: { user: string } }).configurable.user }),
 * } satisfies ToLangChainOptions<unknown, unknown>;
 * ```
 */
export interface ToLangChainOptions<Tool, Message> {
  /** `tool` of `langchain`, or of `@langchain/core/tools`. */
  tool: (body: LangChainBody, fields: LangChainFields) => Tool;
  /** `ToolMessage` of `langchain`, or of `@langchain/core/messages`. */
  ToolMessage: new (fields: ToolMessageFields) => Message;
  /**
   * `interrupt` of `@langchain/langgraph`. With it, a graph stops at a call that needs approval, with the request format of the SDK's own
   * middleware; the call runs when the graph is resumed with `{ decisions: [{ type: "approve" }] }`. Without it, the session's approver is
   * asked; without an approver, the model reads that the call waits.
   */
  interrupt?: Interrupt;
  /**
   * Sender of the answered message. Default: the sender of the session. A function receives the config that the SDK passes to a tool:
   * `sender: (config) => ({ id: config.configurable.user_id })`. In `answer`, it receives nothing; a `sender` passed to `answer` takes
   * precedence.
   */
  sender?: CallSenderSource;
}

/** The second argument of LangChain's `tool()`. */
export interface LangChainFields {
  /** Name for the model. */
  name: string;
  /** Description for the model. */
  description: string;
  /** The tool's JSON Schema. It accepts every object: the session validates. */
  // The parameter types of tool() fit only its own schemas.
  // oxlint-disable-next-line typescript/no-explicit-any
  schema: any;
}

/** The body of a LangChain tool. Values that a generator yields are events of the tool. */
// oxlint-disable-next-line typescript/no-explicit-any
export type LangChainBody = (input: any, config: any) => any;

/** Tools among the results of `tool()` whose input is an object. */
export type Structured<Tool> = Exclude<Tool, { schema: { _def: unknown } }>;

/**
 * Result of {@link toLangChain}: tools, the function that answers messages, and hooks.
 *
 * @example
 * ```ts
 * import type { LangChainSession } from "@haft/adapters/langchain";
 * import type { ToolMessage } from "@langchain/core/messages";
 * import type { StructuredTool } from "@langchain/core/tools";
 * declare const haft: LangChainSession<StructuredTool, ToolMessage>;
 * const answered = await haft.answer({ tool_calls: [{ id: "1", name: "ls", args: {} }] });
 * for (const { status } of answered.results) console.log(status);
 * ```
 */
export interface LangChainSession<Tool, Message> {
  /** Tools, for `createAgent`, `bindTools` and `ToolNode`. */
  tools: Structured<Tool>[];
  /** Runs the calls of a message, for a custom loop or node, and returns the answers. */
  answer: <Given extends LangChainMessage>(
    message: Given,
    options?: AnswerOptions,
  ) => Promise<Turn<Given, Message>>;
  /** Middleware for cases that agents do not handle: `createMiddleware({ name: "haft", ...hooks })`. */
  hooks: {
    /** Repairs ids, and turns calls with invalid JSON into calls, which agents would not answer. */
    wrapModelCall: <Request, Result>(
      request: Request,
      handler: (request: Request) => Result | Promise<Result>,
    ) => Promise<Result>;
    /** Passes calls with an unknown name to the session, whose answer suggests the right name. */
    wrapToolCall: <Request extends object, Result>(
      request: Request,
      handler: (request: Request) => Result | Promise<Result>,
    ) => Promise<Result | Message>;
  };
}

/**
 * Returns the tools of a session for LangChain and LangGraph.
 *
 * Every call goes to `session.call()`. The model reads why a call failed or was blocked; only an interrupt of the graph is thrown.
 * Read-only calls run concurrently, all others alone and in order. Progress becomes events. The tools are a snapshot.
 *
 * @throws `BRIDGE_INVALID` for an invalid session or option
 *
 * @example
 * ```ts
 * import { toLangChain } from "@haft/adapters/langchain";
 * import type { Session } from "@haft/core/kernel";
 * import { ToolMessage } from "@langchain/core/messages";
 * import { tool } from "@langchain/core/tools";
 * declare const session: Session;
 * const { tools, hooks } = toLangChain(session, { tool, ToolMessage });
 * console.log(tools.length, Object.keys(hooks));
 * ```
 */
export function toLangChain<Tool, Message>(
  session: Session,
  options: ToLangChainOptions<Tool, Message>,
): LangChainSession<Tool, Message> {
  const allowed = {
    tool: "function",
    ToolMessage: "function",
    interrupt: "function",
    sender: "sender of calls",
  } as const;
  checkOutgoing("toLangChain", session, options, allowed, ["tool", "ToolMessage"]);
  const { tool, ToolMessage, interrupt, sender } = options;
  const caller = createCaller(session);
  const bridge: Bridge<Message> = {
    session,
    caller,
    interrupt,
    sender,
    message: (id, name, outcome) => new ToolMessage(langchainFields(id, name, outcome)),
  };
  const words = createLangChainFormat<object, Message>(bridge.message);
  const ids = new CallIds();
  return {
    tools: toProviderTools(session, ANY_PROVIDER).tools.map(
      (told) => toolOf(bridge, tool, told) as Structured<Tool>,
    ),
    answer: createAnswer(session, words, () =>
      resolveSender("toLangChain", sender, undefined),
    ) as LangChainSession<Tool, Message>["answer"],
    hooks: {
      async wrapModelCall(request, handler) {
        const said = await handler(request);
        const read = typeof said === "object" && said !== null ? words.read(said, ids) : undefined;
        return (read?.messages[0] ?? said) as typeof said;
      },
      async wrapToolCall(request, handler) {
        const { toolCall, tool: known } = asRecord(request);
        if (known !== undefined) return handler(request);
        const { id, name, args } = asRecord(toolCall);
        const { runtime } = asRecord(request);
        const { signal } = asRecord(runtime);
        const of = resolveSender("toLangChain", sender, runtime);
        const call = { id: readName(id), name: readName(name), arguments: langchainArguments(args) };
        return made(bridge, call, { signal, of });
      },
    },
  };
}

interface Bridge<Message> {
  session: Session;
  caller: Caller;
  interrupt: Interrupt | undefined;
  sender: CallSenderSource | undefined;
  message: (id: string, name: string, outcome: ToolOutcome) => Message;
}

function toolOf<Tool, Message>(
  bridge: Bridge<Message>,
  tool: ToLangChainOptions<Tool, Message>["tool"],
  { name, description, schema }: ProviderTool,
): Tool {
  const body = async (input: unknown, config: unknown): Promise<AsyncGenerator<ToolResult, Message>> => {
    const { toolCall, toolCallId, signal } = asRecord(config);
    const id = asRecord(toolCall)["id"] ?? toolCallId;
    const args = langchainArguments(input, schema);
    const call = { name, arguments: args, ...(typeof id === "string" && id !== "" && { id }) };
    const of = resolveSender("toLangChain", bridge.sender, config);
    // Asks before anything runs, because a resumed graph begins this again.
    const answer =
      bridge.interrupt && !HaftError.is(of)
        ? await askGraph(bridge.session, bridge.interrupt, call, of)
        : undefined;
    return streamProgress((onUpdate) => made(bridge, call, { signal, onUpdate, answer, of }));
  };
  // LangChain only validates that the input is an object.
  return tool(body, { name, description, schema: { type: "object", ...standardSchema(schema) } });
}

async function made<Message>(
  { caller, message }: Bridge<Message>,
  call: CallRequest,
  {
    signal,
    onUpdate,
    answer,
    of,
  }: {
    signal?: unknown;
    onUpdate?: ToolUpdate;
    answer?: GraphAnswer | undefined;
    of: { sender?: CallSender } | HaftError;
  },
): Promise<Message> {
  if (HaftError.is(of)) return message(call.id ?? "", call.name, createRefusedOutcome(call, of));
  const options = {
    ...of,
    ...(signal instanceof AbortSignal && { signal }),
    ...(onUpdate && { onUpdate }),
  };
  const outcome = await caller.call(call, options, { getDecision: () => answer?.decision });
  const said = answer?.message ?? "";
  const shown = said === "" ? outcome : { ...outcome, content: [...outcome.content, text(said)] };
  return message(call.id ?? outcome.toolCallId, call.name, shown);
}
