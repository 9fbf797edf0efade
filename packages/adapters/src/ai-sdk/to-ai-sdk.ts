import { contentToText, type ToolOutcome, type ToolResult, withoutUndefined } from "@haft/core";
import type { CallRequest, Session } from "@haft/core/kernel";
import { type Caller, createCaller } from "../outgoing/caller.ts";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { streamProgress } from "../outgoing/progress.ts";
import { ANY_PROVIDER, type ProviderTool, toProviderTools } from "../outgoing/provider-tools.ts";
import { resolveSender, type CallSenderSource } from "../outgoing/sender.ts";
import { toJson } from "../results/to-json.ts";
import { standardSchema } from "../schema/standard-schema.ts";
import type {
  AISDKExecution,
  AISDKProgress,
  AISDKTool,
  AISDKToolOutput,
  AISDKTools,
} from "./ai-sdk-tools.ts";

/** How the tools of a session are handed to the AI SDK. */
export interface ToAISDKOptions {
  /**
   * Who asks a person about a call that needs approval. `session` (default): the session's own approver; without one, the model
   * is told that the call waits. `ai-sdk`: the SDK ends its turn with a `tool-approval-request`, and the call runs once the
   * messages of the next turn bring its approval. Messages that come from a client can be forged: sign requests with the SDK's
   * `experimental_toolApprovalSecret`, or keep messages on the server.
   */
  approvals?: "session" | "ai-sdk";
  /** Tools answer as generators: what a running one reports is a preliminary result in the streams of the SDK. */
  progress?: boolean;
  /**
   * Whose message is answered: rules for senders hold for these calls. Default: the sender of the session. A function gets what the
   * SDK hands to `execute`, `needsApproval` or `toolApproval`.
   */
  sender?: CallSenderSource;
}

/** How the AI SDK marks its own schemas; with it, versions 6 and 7 take the JSON Schema as it is. */
const OF_AI_SDK = Symbol.for("vercel.ai.schema");

/**
 * The tools of a session, for the AI SDK: `generateText({ model, prompt, ...toAISDK(session) })`.
 *
 * The SDK validates nothing: every call goes through `session.call()`, also one of a name that was not offered or with broken
 * JSON, so that the kernel answers it and the ledger knows of it. A call that fails or is blocked tells the model so; nothing is
 * thrown. The tools are those of this moment: call it for each turn.
 *
 * @throws HaftError `BRIDGE_INVALID` for what is no session, and for options it does not have
 */
export function toAISDK(
  session: Session,
  options: ToAISDKOptions & { progress: true },
): AISDKTools<AsyncGenerator<AISDKProgress | ToolOutcome, void, void>>;
/** The same, with tools that resolve to what comes of a call. @throws HaftError `BRIDGE_INVALID` */
export function toAISDK(session: Session, options?: ToAISDKOptions & { progress?: false }): AISDKTools;
export function toAISDK(session: Session, options: ToAISDKOptions = {}): AISDKTools<AISDKExecution> {
  checkOutgoing("toAISDK", session, options, {
    approvals: ["session", "ai-sdk"],
    progress: [false, true],
    sender: "sender of calls",
  });
  const { approvals, progress: reports = false, sender } = options;
  const asks = approvals === "ai-sdk";
  const bridge: Bridge = { session, caller: createCaller(session), asks, reports, isVersion6: false, sender };
  const offered = toProviderTools(session, ANY_PROVIDER).tools.map(
    (tool) => [tool.name, toolOf(bridge, tool)] as const,
  );
  const repairToolCall: AISDKTools["repairToolCall"] = async ({ toolCall, tools }) => {
    const { toolName: name, input } = toolCall;
    // Not enumerable: the SDK finds it under this name, and does not offer it to the model.
    if (!Object.hasOwn(tools, name)) {
      const value = toolOf(bridge, { name, description: "", schema: { type: "object" } });
      Object.defineProperty(tools, name, { value, configurable: true });
    }
    return isJson(input) ? toolCall : { ...toolCall, input: JSON.stringify(input) };
  };
  return withoutUndefined<AISDKTools<AISDKExecution>>({
    tools: Object.fromEntries(offered),
    repairToolCall,
    experimental_repairToolCall: repairToolCall,
    toolApproval: asks
      ? async (asked) => {
          const { toolName, input } = asked.toolCall;
          const reason = await askedBecause(bridge, toolName, input, asked);
          return reason === undefined ? undefined : { type: "user-approval", reason };
        }
      : undefined,
  });
}

interface Bridge {
  session: Session;
  caller: Caller;
  /** Whether tools answer as generators. */
  reports: boolean;
  /** Whether the SDK asks for approvals. */
  asks: boolean;
  /** Told by the first call. */
  isVersion6: boolean;
  sender: CallSenderSource | undefined;
}

function toolOf(bridge: Bridge, { name, description, schema }: ProviderTool): AISDKTool<AISDKExecution> {
  const { asks } = bridge;
  return withoutUndefined<AISDKTool<AISDKExecution>>({
    type: "dynamic",
    description,
    inputSchema: schemaOf(schema),
    execute(input, options) {
      bridge.isVersion6 = "experimental_context" in options;
      const call = { id: options.toolCallId, name, arguments: input };
      return bridge.reports ? reported(bridge, call, options) : made(bridge, call, options);
    },
    toModelOutput: ({ output }) => modelOutput(output as Partial<ToolOutcome> | undefined, bridge.isVersion6),
    needsApproval: asks
      ? async (input, options) => (await askedBecause(bridge, name, input, options)) !== undefined
      : undefined,
  });
}

type Asked = CallRequest & { id: string };

async function made(
  { caller, asks, sender }: Bridge,
  call: Asked,
  given: Parameters<AISDKTool["execute"]>[1],
  onUpdate?: (partial: ToolResult) => void,
): Promise<ToolOutcome> {
  const { abortSignal, messages } = given;
  const options = {
    ...(abortSignal && { signal: abortSignal }),
    ...(onUpdate && { onUpdate }),
    ...resolveSender("toAISDK", sender, given),
  };
  return caller.call(call, options, {
    getDecision: () => (asks && wasApproved(messages, call.id) ? "allow-once" : undefined),
  });
}

async function* reported(
  bridge: Bridge,
  call: Asked,
  options: Parameters<AISDKTool["execute"]>[1],
): AsyncGenerator<AISDKProgress | ToolOutcome, void, void> {
  const running = streamProgress((onUpdate) => made(bridge, call, options, onUpdate));
  for (;;) {
    const { done, value } = await running.next();
    yield done ? value : { kind: "running", ...value };
    if (done) return;
  }
}

/** Why a person has to be asked about a call; `undefined` for one that runs, and for one that will be refused. */
async function askedBecause(
  { session, sender }: Bridge,
  name: string,
  input: unknown,
  context: unknown,
): Promise<string | undefined> {
  const { verdict, reason } = await session.explain(name, input, resolveSender("toAISDK", sender, context));
  return verdict === "asks" ? reason : undefined;
}

function schemaOf(parameters: Record<string, unknown>): AISDKTool["inputSchema"] {
  const more = { [OF_AI_SDK]: true, jsonSchema: parameters, validate: undefined };
  return Object.assign(standardSchema(parameters), more);
}

/** Of an outcome; what else stands in old messages under the name of the tool is shown as it is. */
function modelOutput(output: Partial<ToolOutcome> | undefined, isVersion6: boolean): AISDKToolOutput {
  const { kind, content } = output ?? {};
  if (kind === undefined || content === undefined)
    return { type: "text", value: typeof output === "string" ? output : toJson(output) };
  if (kind !== "ok") return { type: "error-text", value: contentToText(content) };
  if (content.every(({ type }) => type === "text")) return { type: "text", value: contentToText(content) };
  return {
    type: "content",
    value: content.map((block) => {
      if (block.type === "text") return { type: "text", text: block.text };
      const { data, mimeType: mediaType } = block;
      return isVersion6
        ? { type: "image-data", data, mediaType }
        : { type: "file", data: { type: "data", data }, mediaType };
    }),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface Part {
  type?: unknown;
  approvalId?: unknown;
  toolCallId?: unknown;
  approved?: unknown;
}

/** Whether the messages of a turn of the AI SDK hold the request for approval of this call, and a person's yes to it. */
function wasApproved(messages: unknown, toolCallId: string): boolean {
  const parts = Array.isArray(messages) ? messages.flatMap(partsOf) : [];
  const requests = parts.filter(
    (part) => part.type === "tool-approval-request" && part.toolCallId === toolCallId,
  );
  const answers = parts.filter(
    (part) =>
      part.type === "tool-approval-response" &&
      requests.some(({ approvalId }) => typeof approvalId === "string" && approvalId === part.approvalId),
  );
  return answers.length > 0 && answers.every(({ approved }) => approved === true);
}

function partsOf(message: unknown): Part[] {
  const content = (message as { content?: unknown } | null)?.content;
  if (!Array.isArray(content)) return [];
  return content.filter((part): part is Part => typeof part === "object" && part !== null);
}
