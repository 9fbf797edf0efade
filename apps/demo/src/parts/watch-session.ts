import type { ToolOutcome } from "@haft/core";
import type { Host, HostSessionOptions } from "haft";
import type { Screen } from "../screen/screen.ts";
import { showCall, showQuestion } from "../screen/show-call.ts";
import { summaryOf } from "../screen/summary-of.ts";
import type { Speaker, Stage, WatchedSession } from "./part.ts";

/** The owner speaks in a `main` session, the visitor in a `group` session, the guest in a sandbox, traveller and ringer on a node, developer and talker as the owner. */
const sessionOf: Readonly<Record<Speaker, HostSessionOptions>> = {
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
  const session = await host.openSession(sessionOf[who]);
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
