import { toAISDK } from "@haft/adapters/ai-sdk";
import { messageOf } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { isStepCount, streamText, type LanguageModel } from "ai";

export interface AgentTask {
  model: LanguageModel;
  session: Session;
  instructions: string;
  prompt: string;
  signal: AbortSignal;
  /** Each stretch of text the model says between calls. */
  onText: (said: string) => void;
}

/** Answers of the model after which the loop ends, done or not. */
const MAX_STEPS = 30;

/** The agent loop: the model speaks and calls, the session runs the calls, until the model is done. */
export async function runAgent({ session, signal, onText, ...settings }: AgentTask): Promise<void> {
  const { stream } = streamText({
    ...settings,
    ...toAISDK(session),
    stopWhen: isStepCount(MAX_STEPS),
    abortSignal: signal,
    maxRetries: 1,
    // Errors arrive in the stream, too; without this the SDK prints them.
    onError() {},
  });
  let said = "";
  for await (const part of stream) {
    if (part.type === "text-delta") said += part.text;
    if (part.type === "error" && !signal.aborted) throw noAnswer(part.error);
    if (part.type !== "text-end") continue;
    if (said.trim() !== "") onText(said);
    said = "";
  }
  signal.throwIfAborted();
}

function noAnswer(cause: unknown): Error {
  return new Error(`The model did not answer: ${messageOf(cause)}`, { cause });
}
