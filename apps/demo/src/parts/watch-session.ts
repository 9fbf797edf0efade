import type { ToolOutcome } from "@haft/core";
import { showCall, showQuestion } from "../screen/show-call.ts";
import { summaryOf } from "../screen/summary-of.ts";
import type { Screen } from "../screen/screen.ts";
import type { Stage, WatchedSession } from "./part.ts";

/** The owner speaks in a `main` session, the visitor in a `group` session. */
export async function watchSession(
  stage: Stage,
  who: "owner" | "visitor",
  screen: Screen,
): Promise<WatchedSession> {
  const outcomes: ToolOutcome[] = [];
  const session = await stage.host.openSession(
    who === "owner" ? { kind: "main" } : { kind: "group", messageChannel: "team-chat" },
  );
  session.subscribe((event) => {
    if (event.type === "approval-requested") showQuestion(screen, event.reason);
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
