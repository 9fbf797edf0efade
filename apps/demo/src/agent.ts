import { type AgentModel, runAgent as runLoop } from "@haft/chat";
import type { Session } from "@haft/core/kernel";

export interface AgentTask {
  model: AgentModel;
  session: Session;
  instructions: string;
  prompt: string;
  signal: AbortSignal;
  /** Each stretch of text the model says between calls. */
  onText: (said: string) => void;
}

/** Answers of the model after which the loop ends, done or not. */
const MAX_STEPS = 30;

/** The loop of `haft chat`, for one task: the model speaks and calls, the session runs the calls, until the model is done. */
export async function runAgent({ onText, ...task }: AgentTask): Promise<void> {
  let said = "";
  const { error } = await runLoop({
    ...task,
    maxSteps: MAX_STEPS,
    onEvent(event) {
      if (event.type === "text") said += event.text;
      if (event.type !== "text-end") return;
      if (said.trim() !== "") onText(said);
      said = "";
    },
  });
  task.signal.throwIfAborted();
  if (error !== undefined) throw new Error(`The model did not answer: ${error.message}`, { cause: error });
}
