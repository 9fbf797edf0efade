import { text, type ToolOutcome, type ToolResult, type ToolUpdate } from "@haft/core";
import { asRecord } from "@haft/core/internal";
import type { CallRequest, Session } from "@haft/core/kernel";
import { CallIds } from "../outgoing/call-ids.ts";
import { type Caller, createCaller } from "../outgoing/caller.ts";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { streamProgress } from "../outgoing/progress.ts";
import { ANY_PROVIDER, toProviderTools, type ProviderTool } from "../outgoing/provider-tools.ts";
import { readName } from "../outgoing/read-name.ts";
import { type CallSender, resolveSender, type CallSenderSource } from "../outgoing/sender.ts";
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

/** What of LangChain makes tools and messages; handed over, so that they are of the host's own copy. */
export interface ToLangChainOptions<Tool, Message> {
  /** `tool` of `langchain`, or of `@langchain/core/tools`. */
  tool: (body: LangChainBody, fields: LangChainFields) => Tool;
  /** `ToolMessage` of `langchain`, or of `@langchain/core/messages`. */
  ToolMessage: new (fields: ToolMessageFields) => Message;
  /**
   * `interrupt` of `@langchain/langgraph`: given, a graph stops where a person has to be asked, with the request that the SDK's own
   * middleware makes, and the call runs once it is resumed with `{ decisions: [{ type: "approve" }] }`. Otherwise the session's approver
   * is asked; without one, the model is told that the call waits.
   */
  interrupt?: Interrupt;
  /**
   * Whose message is answered: rules for senders hold for these calls. Default: the sender of the session. A function gets what the
   * SDK hands to a tool beside its input: `sender: (config) => ({ id: config.configurable.user_id })`;
   * with `answer`, which has no such thing, it gets nothing, unless `answer` is told the sender itself.
   */
  sender?: CallSenderSource;
}

/** What a tool is made of. */
export interface LangChainFields {
  /** To be called by. */
  name: string;
  /** For the model. */
  description: string;
  /** Tells the tool's own JSON Schema, and refuses nothing but what is no object: that is the kernel's to do. */
  // What tool() takes there has types that nothing but its own schemas fit.
  // oxlint-disable-next-line typescript/no-explicit-any
  schema: any;
}

/** What a tool of LangChain does. What a generator yields is an event of the tool. */
// oxlint-disable-next-line typescript/no-explicit-any
export type LangChainBody = (input: any, config: any) => any;

/** Of what `tool()` may make, the tools that take an object. */
export type Structured<Tool> = Exclude<Tool, { schema: { _def: unknown } }>;

/** A session for LangChain and LangGraph. */
export interface LangChainSession<Tool, Message> {
  /** For `createAgent`, `bindTools` and `ToolNode`. */
  tools: Structured<Tool>[];
  /** Answers the message of a model, for a loop or a node of your own. */
  answer: <Given extends LangChainMessage>(
    message: Given,
    options?: AnswerOptions,
  ) => Promise<Turn<Given, Message>>;
  /** What an agent does not do by itself, for `createMiddleware({ name: "haft", ...hooks })`. */
  hooks: {
    /** Repairs ids of calls, and makes calls of those whose arguments are no JSON: agents would not answer them. */
    wrapModelCall: <Request, Result>(
      request: Request,
      handler: (request: Request) => Result | Promise<Result>,
    ) => Promise<Result>;
    /** Calls with a name that no tool has reach the session, which says what may have been meant. */
    wrapToolCall: <Request extends object, Result>(
      request: Request,
      handler: (request: Request) => Result | Promise<Result>,
    ) => Promise<Result | Message>;
  };
}

/**
 * The tools of a session, for LangChain: `createAgent({ model, tools: toLangChain(session, { tool, ToolMessage }).tools })`.
 *
 * Every call goes through `session.call()`. One that fails or is blocked tells the model so; nothing is thrown but an interrupt of the
 * graph. What only reads runs at once, everything else alone and in its order. What tools report are events of the tool. The tools
 * are those of this moment.
 *
 * @throws HaftError `BRIDGE_INVALID` for what is no session, and for options it does not have
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
    // Before anything runs: a graph that is resumed begins this anew.
    const answer = bridge.interrupt && (await askGraph(bridge.session, bridge.interrupt, call, of));
    return streamProgress((onUpdate) => made(bridge, call, { signal, onUpdate, answer, of }));
  };
  // It tells the models the tool's schema, and validates nothing but that it is an object.
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
    of: { sender?: CallSender };
  },
): Promise<Message> {
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
