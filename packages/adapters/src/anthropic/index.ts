export type { ToolNote } from "../outgoing/provider-tools.ts";
export type { CallSender } from "../outgoing/sender.ts";
export type { AnswerOptions, CallUpdate, Turn } from "../outgoing/turn.ts";
export type {
  AnthropicAssistantMessage,
  AnthropicMessage,
  AnthropicResultMessage,
  AnthropicToolResult,
  MediaType,
} from "./anthropic-format.ts";
export {
  type AnthropicSession,
  type AnthropicTool,
  toAnthropic,
  type ToAnthropicOptions,
} from "./to-anthropic.ts";
