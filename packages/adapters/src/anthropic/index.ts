export type { CallSender } from "../outgoing/sender.ts";
export type { AnswerOptions, Turn } from "../outgoing/turn.ts";
export type { AnthropicResultMessage } from "./anthropic-format.ts";
export { type AnthropicSession, toAnthropic, type ToAnthropicOptions } from "./to-anthropic.ts";
