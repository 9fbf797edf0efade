import { text, type ToolOutcome, type ToolResult, type ToolUpdate } from "@haft/core";
import { membersOf } from "@haft/core/internal";
import type { CallRequest, Session } from "@haft/core/kernel";
import { CallIds } from "../outgoing/call-ids.ts";
import { type Caller, callerOf } from "../outgoing/caller.ts";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { nameOf } from "../outgoing/name-of.ts";
import { progressOf } from "../outgoing/progress.ts";
import { type CallSender, senderOf, type SenderOfCalls } from "../outgoing/sender.ts";
import { ANY_PROVIDER, toldTools, type ToldTool } from "../outgoing/told-tools.ts";
import { type AnswerOptions, answering, type Turn } from "../outgoing/turn.ts";
import { standardSchema } from "../schema/standard-schema.ts";
import { askGraph, type GraphAnswer, type Interrupt } from "./ask-graph.ts";
import {
  langchainArguments,
  langchainFields,
  type LangChainMessage,
  langChainWords,
  type ToolMessageFields,
} from "./langchain-words.ts";

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
  sender?: SenderOfCalls;
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
  const caller = callerOf(session);
  const bridge: Bridge<Message> = {
    session,
    caller,
    interrupt,
    sender,
    message: (id, name, outcome) => new ToolMessage(langchainFields(id, name, outcome)),
  };
  const words = langChainWords<object, Message>(bridge.message);
  const ids = new CallIds();
  return {
    tools: toldTools(session, ANY_PROVIDER).tools.map(
      (told) => toolOf(bridge, tool, told) as Structured<Tool>,
    ),
    answer: answering(session, words, () => senderOf("toLangChain", sender, undefined)) as LangChainSession<
      Tool,
      Message
    >["answer"],
    hooks: {
      async wrapModelCall(request, handler) {
        const said = await handler(request);
        const read = typeof said === "object" && said !== null ? words.read(said, ids) : undefined;
        return (read?.messages[0] ?? said) as typeof said;
      },
      async wrapToolCall(request, handler) {
        const { toolCall, tool: known } = membersOf(request);
        if (known !== undefined) return handler(request);
        const { id, name, args } = membersOf(toolCall);
        const { runtime } = membersOf(request);
        const { signal } = membersOf(runtime);
        const of = senderOf("toLangChain", sender, runtime);
        const call = { id: nameOf(id), name: nameOf(name), arguments: langchainArguments(args) };
        return made(bridge, call, { signal, of });
      },
    },
  };
}

interface Bridge<Message> {
  session: Session;
  caller: Caller;
  interrupt: Interrupt | undefined;
  sender: SenderOfCalls | undefined;
  message: (id: string, name: string, outcome: ToolOutcome) => Message;
}

function toolOf<Tool, Message>(
  bridge: Bridge<Message>,
  tool: ToLangChainOptions<Tool, Message>["tool"],
  { name, description, schema }: ToldTool,
): Tool {
  const body = async (input: unknown, config: unknown): Promise<AsyncGenerator<ToolResult, Message>> => {
    const { toolCall, toolCallId, signal } = membersOf(config);
    const id = membersOf(toolCall)["id"] ?? toolCallId;
    const args = langchainArguments(input, schema);
    const call = { name, arguments: args, ...(typeof id === "string" && id !== "" && { id }) };
    const of = senderOf("toLangChain", bridge.sender, config);
    // Before anything runs: a graph that is resumed begins this anew.
    const answer = bridge.interrupt && (await askGraph(bridge.session, bridge.interrupt, call, of));
    return progressOf((onUpdate) => made(bridge, call, { signal, onUpdate, answer, of }));
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
  const outcome = await caller.call(call, options, { answered: () => answer?.decision });
  const said = answer?.message ?? "";
  const shown = said === "" ? outcome : { ...outcome, content: [...outcome.content, text(said)] };
  return message(call.id ?? outcome.toolCallId, call.name, shown);
}
