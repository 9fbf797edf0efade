import { type AgentModel, runAgent as runLoop } from "@haft/chat";
import type { ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { Host, HostSessionOptions } from "haft";
import type { Screen } from "./screen/screen.ts";
import { showCall, summaryOf } from "./screen/show.ts";
import type { Speaker, Stage, WatchedSession } from "./stage.ts";

const SESSIONS: Readonly<Record<Speaker, HostSessionOptions>> = {
  owner: { kind: "main" },
  visitor: { kind: "group", messageChannel: "team-chat" },
  guest: { kind: "group", sandbox: {} },
  traveller: { kind: "sandboxed" },
  ringer: { kind: "sandboxed" },
  developer: { kind: "main" },
  talker: { kind: "main" },
};

/** Opens the session of whoever speaks, and shows its calls as they end. */
export async function watchSession(
  stage: Stage,
  who: Speaker,
  screen: Screen,
  host: Host = stage.host,
): Promise<WatchedSession> {
  const outcomes: ToolOutcome[] = [];
  const session = await host.openSession(SESSIONS[who]);
  session.subscribe((event) => {
    if (event.type === "approval-requested") screen.prose(`? ${event.reason}`, 2, screen.paint.yellow);
    if (event.type !== "tool-end") return;
    const { toolCallId, toolName, outcome } = event;
    const args = session.ledger().find((entry) => entry.toolCallId === toolCallId)?.args;
    const summary = summaryOf(toolName, args);
    outcomes.push(outcome);
    stage.report.calls.push({ session: who, summary, outcome });
    showCall(screen, summary, outcome);
  });
  const watched = { session, outcomes };
  stage.sessions.set(who, watched);
  return watched;
}

/** Answers of the model after which the loop ends, done or not. */
const MAX_STEPS = 30;

export interface AgentTask {
  model: AgentModel;
  session: Session;
  instructions: string;
  prompt: string;
}

/** The loop of `haft chat`, for one task: the model speaks and calls, until it is done. What it says is shown. */
export async function runAgent({ signal }: Stage, screen: Screen, task: AgentTask): Promise<void> {
  let said = "";
  const { error } = await runLoop({
    ...task,
    signal,
    maxSteps: MAX_STEPS,
    onEvent(event) {
      if (event.type === "text") said += event.text;
      if (event.type !== "text-end") return;
      if (said.trim() !== "") screen.prose(`» ${said}`, 2, screen.paint.cyan);
      said = "";
    },
  });
  signal.throwIfAborted();
  if (error !== undefined) throw new Error(`The model did not answer: ${error.message}`, { cause: error });
}

/** Has the model repair the project in the sandbox that the session works in. */
export function repairInside(stage: Stage, session: Session, screen: Screen): Promise<void> {
  return runAgent(stage, screen, {
    model: stage.model.guest,
    session,
    instructions:
      "You repair small JavaScript projects with the tools you have. Read before you change anything, and change as " +
      "little as possible. You work in a sandbox without network.",
    prompt:
      "A test of this project, which lies in a sandbox, fails. Run the tests as package.json says, find the cause, repair " +
      "it in src, and run them again. Leave everything else as it is. Paths are relative to the project.",
  });
}
