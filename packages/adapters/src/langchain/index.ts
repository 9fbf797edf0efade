export type { BridgeOptions } from "../incoming/bridge-options.ts";
export type { CallSender } from "../outgoing/sender.ts";
export type { AnswerOptions, Turn } from "../outgoing/turn.ts";
export { fromLangChain, type LangChainOptions } from "./from-langchain.ts";
export { type LangChainSession, toLangChain, type ToLangChainOptions } from "./to-langchain.ts";
