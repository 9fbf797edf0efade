import type { Session } from "@haft/core/kernel";
import { isStepCount, type ModelMessage, streamText } from "ai";
import type { AgentModel } from "../model/agent-model.ts";
import type { AgentEvent, AgentOptions, AskPerson } from "./agent-options.ts";
import { CollectedStep } from "./collect-step.ts";
import { StepCalls } from "./run-calls.ts";

export interface StepOptions {
  session: Session;
  model: AgentModel;
  instructions: string;
  messages: ModelMessage[];
  signal: AbortSignal;
  ask: AskPerson | undefined;
  sender: AgentOptions["sender"];
  tell: (event: AgentEvent) => void;
}

/** Beside the first; the SDK waits longer each time, or as long as the endpoint says. */
const RETRIES = 2;

/**
 * Has the model answer once, and makes its calls. Calls are made when the answer is whole, one after the other: of one that
 * breaks off none is.
 */
export async function takeStep({ session, model, signal, ask, sender, tell, ...asked }: StepOptions) {
  const step = new CollectedStep(tell);
  const calls = new StepCalls(session, { ask, sender, signal });
  try {
    const { stream } = streamText({
      model,
      ...asked,
      ...calls.tools(),
      stopWhen: isStepCount(1),
      abortSignal: signal,
      maxRetries: RETRIES,
      // They come in the stream, too; without this the SDK prints them.
      onError() {},
    });
    for await (const part of stream) step.take(part);
  } catch (thrown) {
    if (!signal.aborted) step.fail(thrown);
  }
  if (signal.aborted) step.aborted = true;
  // The SDK does not wait for calls of a run that is aborted.
  await calls.ended();
  return { step, messages: step.messages((id) => calls.answer(id)) };
}
