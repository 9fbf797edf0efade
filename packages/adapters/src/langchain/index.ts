export type { BridgeOptions } from "../incoming/bridge-options.ts";
export type { CallSender, CallSenderSource } from "../outgoing/sender.ts";
export type { AnswerOptions, CallUpdate, Turn } from "../outgoing/turn.ts";
export type { Interrupt } from "./ask-graph.ts";
export { fromLangChain, type LangChainOptions } from "./from-langchain.ts";
export type { LangChainMessage, ToolMessageFields } from "./langchain-format.ts";
export {
  type LangChainBody,
  type LangChainFields,
  type LangChainSession,
  type Structured,
  toLangChain,
  type ToLangChainOptions,
} from "./to-langchain.ts";
