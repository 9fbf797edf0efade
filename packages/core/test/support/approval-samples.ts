import type { ApprovalGrant, ApprovalRequestRecord } from "../../src/contract/approval-port.ts";

export function sampleRequest(
  approvalId: string,
  about: Partial<ApprovalRequestRecord> = {},
): ApprovalRequestRecord {
  const requestedAt = Date.now();
  return {
    approvalId,
    toolCallId: "call_1",
    agentId: "main",
    sessionKey: "s",
    sessionKind: "group",
    tool: { id: "exec/exec", name: "exec", effects: ["execute"] },
    args: { command: "echo hush-hush" },
    reason: "exec needs approval.",
    preview: [{ type: "text", text: "echo …" }],
    offers: [{ kind: "exact", key: "k", summary: "exec echo" }],
    requestedAt,
    expiresAt: requestedAt + 60_000,
    ...about,
  };
}

export function sampleGrant(id: string, about: Partial<ApprovalGrant> = {}): ApprovalGrant {
  return {
    id,
    agentId: "main",
    sessionKey: "s",
    kind: "exact",
    toolId: "exec/exec",
    key: `key of ${id}`,
    summary: "exec echo",
    createdAt: Date.now(),
    used: 0,
    ...about,
  };
}
