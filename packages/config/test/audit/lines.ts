import type { RunRecord } from "@haft/core/kernel";
import { toAuditEntry, formatAuditLine } from "../../src/audit/audit-entry.ts";

const facts = { kind: "main", agentId: "main", model: "", messageChannel: "" } as const;
const RUN: RunRecord = {
  runId: "run1",
  sessionKey: "talk",
  facts,
  workspace: { place: "host", cwd: "/work" },
  mode: "plan",
  openedAt: 1,
  epoch: 1,
};

/** A line about a call of this id, with so many characters beside. */
export function line(id: string, padding = 0): string {
  const args = { content: "x".repeat(padding) };
  const record = {
    seq: 1,
    toolCallId: id,
    epoch: 1,
    toolName: "write",
    createdAt: 1,
    status: "completed",
    args,
  } as const;
  return formatAuditLine(toAuditEntry(record, RUN, 5));
}
