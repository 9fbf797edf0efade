import { contentToText, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { createCaller } from "../outgoing/caller.ts";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { ANY_PROVIDER, toProviderTools } from "../outgoing/provider-tools.ts";
import { resolveSender, type CallSenderSource } from "../outgoing/sender.ts";

/** How the tools of a session are handed to the OpenAI Agents SDK. */
export interface ToOpenAIAgentsOptions {
  /**
   * Who asks a person about a call that needs approval. `session` (default): the session's own approver; without one, the model
   * is told that the call waits. `agents`: the run ends with an interruption, and the call runs once it is approved there.
   */
  approvals?: "session" | "agents";
  /**
   * Whose message is answered: rules for senders hold for these calls. Default: the sender of the session. A function gets the
   * `RunContext` of the run: `sender: ({ context }) => ({ id: context.userId })`.
   */
  sender?: CallSenderSource;
}

/** What the SDK hands to a model. */
export type AgentsToolOutput =
  | string
  | ({ type: "text"; text: string } | { type: "image"; image: { data: string; mediaType: string } })[];

/** One tool of a session, as a function tool of the OpenAI Agents SDK. */
export interface AgentsTool {
  /** Tells kinds of tools apart. */
  type: "function";
  /** To be called by. */
  name: string;
  /** For the model. */
  description: string;
  /** The tool's own JSON Schema. */
  parameters: {
    type: "object";
    properties: Record<string, never>;
    required: string[];
    additionalProperties: true;
  };
  /** Not strict: the kernel validates and repairs. */
  strict: false;
  /** Runs the call in the session, what only reads beside others of that kind. Rejects only where a function `sender` names nobody. */
  invoke: (
    runContext: unknown,
    input: string,
    details?: { toolCall?: { callId: string }; signal?: AbortSignal },
  ) => Promise<AgentsToolOutput>;
  /** Whether the SDK is to ask a person first. */
  needsApproval: (runContext: unknown, input: unknown, callId?: string) => Promise<boolean>;
  /** Always: what a session does not offer is not among its tools. */
  isEnabled: () => Promise<true>;
}

/**
 * The tools of a session, for the OpenAI Agents SDK: `new Agent({ name, tools: toOpenAIAgents(session) })`.
 *
 * Every call goes through `session.call()`. One that fails or is blocked tells the model so; nothing is thrown. The tools are those
 * of this moment.
 *
 * @throws HaftError `BRIDGE_INVALID` for what is no session, and for options it does not have
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
      return shown(
        await caller.call(request, { ...(signal && { signal }), ...of }, { getDecision: answered }),
      );
    },
    async needsApproval(runContext, input) {
      if (!asks) return false;
      const of = resolveSender("toOpenAIAgents", options.sender, runContext);
      return (await session.explain(name, input, of)).verdict === "asks";
    },
    isEnabled: async () => true,
  }));
}

function isApproved(runContext: unknown, toolName: string, callId: string | undefined): boolean {
  const context = runContext as { isToolApproved?: (asked: object) => unknown } | null | undefined;
  return callId !== undefined && context?.isToolApproved?.({ toolName, callId }) === true;
}

/** A text, or texts and images in their order. */
function shown({ content }: ToolOutcome): AgentsToolOutput {
  if (content.every(({ type }) => type === "text")) return contentToText(content);
  return content.map((block) =>
    block.type === "text"
      ? { type: "text", text: block.text }
      : { type: "image", image: { data: block.data, mediaType: block.mimeType } },
  );
}
