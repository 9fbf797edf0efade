import { type Answered, answerHook } from "../../guard/hook/answer-hook.ts";

/** The program that agents start before each call, loaded by its starter. It loads rare parts only when it needs them. */
export function decides(words: readonly string[]): Promise<Answered> {
  return answerHook(words, async () => (await import("../../guard/hook/late-parts.ts")).lateParts);
}
