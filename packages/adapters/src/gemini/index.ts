export type { ToolNote } from "../outgoing/told-tools.ts";
export type { CallSender } from "../outgoing/sender.ts";
export type { AnswerOptions, CallUpdate, Turn } from "../outgoing/turn.ts";
export type {
  GeminiContent,
  GeminiFunctionResponse,
  GeminiImage,
  GeminiResultContent,
  ImagePlace,
} from "./gemini-words.ts";
export { type GeminiFunction, type GeminiSession, toGemini, type ToGeminiOptions } from "./to-gemini.ts";
