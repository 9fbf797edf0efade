export type { CallSender } from "../outgoing/sender.ts";
export type { AnswerOptions, Turn } from "../outgoing/turn.ts";
export type { ChatToolMessage } from "./chat.ts";
export type { ResponsesOutput } from "./responses.ts";
export { type OpenAIChat, type OpenAIResponses, toOpenAI, type ToOpenAIOptions } from "./to-openai.ts";
