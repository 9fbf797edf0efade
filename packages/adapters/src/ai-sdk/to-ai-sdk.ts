import { contentToText, HaftError, type ToolOutcome, type ToolResult } from "@haft/core";
import type { CallRequest, Session } from "@haft/core/kernel";
import { withoutUndefined } from "@haft/utils";
import { type Caller, createCaller } from "../outgoing/caller.ts";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { streamProgress } from "../outgoing/progress.ts";
import { ANY_PROVIDER, type ProviderTool, toProviderTools } from "../outgoing/provider-tools.ts";
import { createRefusedOutcome, resolveSender, type CallSenderSource } from "../outgoing/sender.ts";
import { toJson } from "../results/to-json.ts";
import { standardSchema } from "../schema/standard-schema.ts";
import type {
  AISDKExecution,
  AISDKProgress,
  AISDKTool,
  AISDKToolOutput,
  AISDKTools,
} from "./ai-sdk-tools.ts";

/**
 * Options of {@link toAISDK}.
 *
 * @example
 * ```ts
 * import { toAISDK, type ToAISDKOptions } from "@haft/adapters/ai-sdk";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const options = { approvals: "ai-sdk", sender: { username: "ada" } } satisfies ToAISDKOptions;
 * const { tools, toolApproval } = toAISDK(session, options);
 * ```
 */
export interface ToAISDKOptions {
  /**
   * Who asks a person about a call that needs approval. `session` (default): the session's approver; without one, the model reads that the
   * call waits. `ai-sdk`: the SDK ends its turn with a `tool-approval-request`, and the call runs when the next messages contain the
   * approval. Clients can forge messages: sign requests with `experimental_toolApprovalSecret`, or store messages on the server.
   */
  approvals?: "session" | "ai-sdk";
  /** Whether `execute` yields progress as preliminary results in the SDK's streams (default false). */
  progress?: boolean;
  /**
   * Sender of the answered message. Default: the sender of the session. A function receives the arguments of `execute`, `needsApproval` or
   * `toolApproval`.
   */
  sender?: CallSenderSource;
}

/** The AI SDK's mark of its own schemas; with it, versions 6 and 7 take the JSON Schema unchanged. */
const OF_AI_SDK = Symbol.for("vercel.ai.schema");

/**
 * Returns the tools of a session for the AI SDK, to spread into `generateText`, `streamText` or an agent.
 *
 * Every call goes to `session.call()`, even with an unknown name or broken JSON, so the ledger records it. The model reads why a call
 * failed or was blocked; nothing is thrown. The tools are a snapshot: call this function for each turn.
 *
 * @throws `BRIDGE_INVALID` for an invalid session or option
 *
 * @example
 * ```ts
 * import { toAISDK } from "@haft/adapters/ai-sdk";
 * import type { Session } from "@haft/core/kernel";
 * import { generateText, type LanguageModel } from "ai";
 * declare const model: LanguageModel;
 * declare const session: Session;
 * const { text } = await generateText({ model, prompt: "Fix the failing test.", ...toAISDK(session) });
 * ```
 */
export function toAISDK(
  session: Session,
  options: ToAISDKOptions & { progress: true },
): AISDKTools<AsyncGenerator<AISDKProgress | ToolOutcome, void, void>>;
/**
 * Returns the tools of a session with an `execute` that resolves to the outcome of the call.
 *
 * @throws `BRIDGE_INVALID`
 */
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
    // Not enumerable: the SDK finds the tool, but does not offer it to the model.
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
  reports: boolean;
  asks: boolean;
  /** Determined at the first call. */
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
  const of = resolveSender("toAISDK", sender, given);
  if (HaftError.is(of)) return createRefusedOutcome(call, of);
  const options = {
    ...(abortSignal && { signal: abortSignal }),
    ...(onUpdate && { onUpdate }),
    ...of,
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

/** Returns the reason to ask a person; `undefined` if the call runs or will be refused, as without a sender. */
async function askedBecause(
  { session, sender }: Bridge,
  name: string,
  input: unknown,
  context: unknown,
): Promise<string | undefined> {
  const of = resolveSender("toAISDK", sender, context);
  if (HaftError.is(of)) return undefined;
  const { verdict, reason } = await session.explain(name, input, of);
  return verdict === "asks" ? reason : undefined;
}

function schemaOf(parameters: Record<string, unknown>): AISDKTool["inputSchema"] {
  const more = { [OF_AI_SDK]: true, jsonSchema: parameters, validate: undefined };
  return Object.assign(standardSchema(parameters), more);
}

/** Other values in old messages are shown unchanged. */
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

/** Whether a turn contains the approval request for this call and a person's approval. */
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
