export type { ToolNote } from "../outgoing/provider-tools.ts";
export type { CallSender } from "../outgoing/sender.ts";
export type { AnswerOptions, CallUpdate, Turn } from "../outgoing/turn.ts";
export type {
  GeminiContent,
  GeminiFunctionResponse,
  GeminiImage,
  GeminiResultContent,
  ImageLocation,
} from "./gemini-format.ts";
export { type GeminiFunction, type GeminiSession, toGemini, type ToGeminiOptions } from "./to-gemini.ts";
