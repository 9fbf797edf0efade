import { summarizeCall, type Session, type ToolOutcome } from "@haft/core";
import type { Stage } from "./parts/part.ts";
import { showCall } from "./screen/show-call.ts";
import type { Screen } from "./screen/screen.ts";

/** A session whose calls are shown as they end. */
export interface WatchedSession {
  readonly session: Session;
  /** How every call ended, in order. */
  readonly outcomes: readonly ToolOutcome[];
}

/** A call in one line, also when its arguments are still the text the model wrote. */
export function summaryOf(toolName: string, args: unknown): string {
  let known = args;
  try {
    if (typeof args === "string") known = JSON.parse(args);
  } catch {
    // What is no JSON has nothing to show.
  }
  return summarizeCall(toolName, known, { format: "plain" });
}

/** The owner speaks in a `main` session, the visitor in a `group` session. */
export async function openWatchedSession(
  stage: Stage,
  who: "owner" | "visitor",
  screen: Screen,
): Promise<WatchedSession> {
  const outcomes: ToolOutcome[] = [];
  const session = await stage.host.openSession(
    who === "owner" ? { kind: "main" } : { kind: "group", messageChannel: "team-chat" },
  );
  session.subscribe((event) => {
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
