export type { BridgeOptions } from "../incoming/bridge-options.ts";
export type { CallSender } from "../outgoing/sender.ts";
export { fromOpenAIAgents, type OpenAIAgentsOptions } from "./from-openai-agents.ts";
export { type AgentsTool, toOpenAIAgents, type ToOpenAIAgentsOptions } from "./to-openai-agents.ts";
