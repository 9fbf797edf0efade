import type { RunRecord } from "@haft/core/kernel";
import { escapeInvisible } from "@haft/utils";
import { formatAgo } from "../../approvals/times.ts";

export function describeRun(run: RunRecord, now: number): string {
  const { runId, sessionKey, facts, workspace, openedAt } = run;
  const who = `${facts.kind} session ${escapeInvisible(sessionKey)}, agent ${escapeInvisible(facts.agentId)}`;
  return `${runId}  ${who}, in ${escapeInvisible(workspace.cwd)}; opened ${formatAgo(openedAt, now)}, ${describeRunStatus(run)}`;
}

export function describeRunStatus({ closedAt, heldBy, epoch }: RunRecord): string {
  const resumed = epoch === 1 ? "" : `, continued ${epoch - 1 === 1 ? "once" : `${epoch - 1} times`}`;
  if (closedAt !== undefined) return `closed${resumed}`;
  if (heldBy === undefined) return `never closed: its process died${resumed}`;
  return `open: process ${heldBy.pid} on ${escapeInvisible(heldBy.host)} holds it${resumed}`;
}
