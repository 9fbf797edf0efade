export type { AgentEvent, AgentOptions, AgentResult, AskPerson } from "./agent/agent-options.ts";
export { runAgent } from "./agent/run-agent.ts";
export type { AgentModel } from "./model/agent-model.ts";
export { type OpenedModel, openModel } from "./model/open-model.ts";
export type { ModelSettings } from "./model/model-settings.ts";
export type { ChatHost } from "./terminal/chat-host.ts";
export { type ChatOptions, runChat } from "./terminal/run-chat.ts";
export { type RunOnceOptions, runOnce } from "./terminal/run-once.ts";
