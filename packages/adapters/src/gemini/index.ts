export type { CallSender } from "../outgoing/sender.ts";
export type { AnswerOptions, Turn } from "../outgoing/turn.ts";
export type { GeminiResultContent } from "./gemini-format.ts";
export { type GeminiSession, toGemini, type ToGeminiOptions } from "./to-gemini.ts";
