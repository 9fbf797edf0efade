import { contentToText, HaftError, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { createCaller } from "../outgoing/caller.ts";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { ANY_PROVIDER, toProviderTools } from "../outgoing/provider-tools.ts";
import { createRefusedOutcome, resolveSender, type CallSenderSource } from "../outgoing/sender.ts";

/**
 * Options of {@link toOpenAIAgents}.
 *
 * @example
 * ```ts
 * import { toOpenAIAgents, type ToOpenAIAgentsOptions } from "@haft/adapters/openai-agents";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const options: ToOpenAIAgentsOptions = { approvals: "agents", sender: "system" };
 * const tools = toOpenAIAgents(session, options);
 * ```
 */
export interface ToOpenAIAgentsOptions {
  /**
   * Who asks a person about a call that needs approval. `session` (default): the session's approver; without one, the model reads that the
   * call waits. `agents`: the run ends with an interruption, and the call runs after its approval there.
   */
  approvals?: "session" | "agents";
  /**
   * Sender of the answered message. Default: the sender of the session. A function receives the `RunContext` of the run: `sender: ({
   * context }) => ({ id: context.userId })`.
   */
  sender?: CallSenderSource;
}

/** A result for the model in the SDK's format. */
export type AgentsToolOutput =
  | string
  | ({ type: "text"; text: string } | { type: "image"; image: { data: string; mediaType: string } })[];

/**
 * A tool of a session as a function tool of the OpenAI Agents SDK.
 *
 * @example
 * ```ts
 * import { toOpenAIAgents, type AgentsTool } from "@haft/adapters/openai-agents";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const find: AgentsTool | undefined = toOpenAIAgents(session).find(({ name }) => name === "find");
 * const output = await find?.invoke(undefined, '{"pattern":"*.md"}');
 * ```
 */
export interface AgentsTool {
  /** Kind of the tool. */
  type: "function";
  /** Name for the model. */
  name: string;
  /** Description for the model. */
  description: string;
  /** JSON Schema of the arguments. */
  parameters: {
    type: "object";
    properties: Record<string, never>;
    required: string[];
    additionalProperties: true;
  };
  /** Always false: the session validates and repairs arguments. */
  strict: false;
  /** Runs the call in the session, concurrently if it only reads. */
  invoke: (
    runContext: unknown,
    input: string,
    details?: { toolCall?: { callId: string }; signal?: AbortSignal },
  ) => Promise<AgentsToolOutput>;
  /** Whether the SDK asks a person first. */
  needsApproval: (runContext: unknown, input: unknown, callId?: string) => Promise<boolean>;
  /** Always true: the list has only tools that the session offers. */
  isEnabled: () => Promise<true>;
}

/**
 * Returns the tools of a session for the OpenAI Agents SDK.
 *
 * Every call goes to `session.call()`. The model reads why a call failed or was blocked; nothing is thrown. The tools are a snapshot.
 *
 * @throws `BRIDGE_INVALID` for an invalid session or option
 *
 * @example
 * ```ts
 * import { toOpenAIAgents } from "@haft/adapters/openai-agents";
 * import type { Session } from "@haft/core/kernel";
 * import { Agent } from "@openai/agents-core";
 * declare const session: Session;
 * const agent = new Agent({ name: "helper", tools: toOpenAIAgents(session) });
 * ```
 */
export function toOpenAIAgents(session: Session, options: ToOpenAIAgentsOptions = {}): AgentsTool[] {
  checkOutgoing("toOpenAIAgents", session, options, {
    approvals: ["session", "agents"],
    sender: "sender of calls",
  });
  const asks = options.approvals === "agents";
  const caller = createCaller(session);
  return toProviderTools(session, ANY_PROVIDER).tools.map(({ name, description, schema }) => ({
    type: "function",
    name,
    description,
    parameters: schema as AgentsTool["parameters"],
    strict: false,
    async invoke(runContext, input, { toolCall, signal } = {}) {
      const id = toolCall?.callId;
      const request = { name, arguments: input, ...(id !== undefined && { id }) };
      const answered = () => (asks && isApproved(runContext, name, id) ? "allow-once" : undefined);
      const of = resolveSender("toOpenAIAgents", options.sender, runContext);
      if (HaftError.is(of)) return shown(createRefusedOutcome(request, of));
      return shown(
        await caller.call(request, { ...(signal && { signal }), ...of }, { getDecision: answered }),
      );
    },
    async needsApproval(runContext, input) {
      if (!asks) return false;
      const of = resolveSender("toOpenAIAgents", options.sender, runContext);
      if (HaftError.is(of)) return false;
      return (await session.explain(name, input, of)).verdict === "asks";
    },
    isEnabled: async () => true,
  }));
}

function isApproved(runContext: unknown, toolName: string, callId: string | undefined): boolean {
  const context = runContext as { isToolApproved?: (asked: object) => unknown } | null | undefined;
  return callId !== undefined && context?.isToolApproved?.({ toolName, callId }) === true;
}

/** Returns a text, or texts and images in order. */
function shown({ content }: ToolOutcome): AgentsToolOutput {
  if (content.every(({ type }) => type === "text")) return contentToText(content);
  return content.map((block) =>
    block.type === "text"
      ? { type: "text", text: block.text }
      : { type: "image", image: { data: block.data, mediaType: block.mimeType } },
  );
}
