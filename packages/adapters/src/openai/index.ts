export type { ToolNote } from "../outgoing/provider-tools.ts";
export type { CallSender } from "../outgoing/sender.ts";
export type { AnswerOptions, CallUpdate, Turn } from "../outgoing/turn.ts";
export type { ChatCallsMessage, ChatImageMessage, ChatMessage, ChatToolMessage } from "./chat.ts";
export type { ResponsesOutput } from "./responses.ts";
export {
  type ChatTool,
  type OpenAIChat,
  type OpenAIResponses,
  type ResponsesTool,
  toOpenAI,
  type ToOpenAIOptions,
} from "./to-openai.ts";
