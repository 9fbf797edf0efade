import type { CallRecord, RunOpening } from "@haft/core/internal";

/** What a session opens; every part can be replaced. */
export function anOpening(parts: Partial<RunOpening> = {}): RunOpening {
  return {
    sessionKey: "s",
    facts: { kind: "main", agentId: "main", model: "", messageChannel: "" },
    workspace: { place: "host", cwd: "/work" },
    mode: "plan",
    ...parts,
  };
}

/** A call that has ended well; every part can be replaced. */
export function aCall(seq: number, parts: Partial<CallRecord> = {}): CallRecord {
  return {
    seq,
    toolCallId: `call_${seq}`,
    epoch: 1,
    toolName: "write",
    status: "completed",
    createdAt: 1_000 + seq,
    startedAt: 2_000 + seq,
    endedAt: 3_000 + seq,
    outcome: "ok",
    receipt: "committed",
    args: { path: `file ${seq}`, text: "ü\u0000💡" },
    key: `key-${seq}`,
    changes: true,
    plan: { subjects: { paths: [{ path: `/work/dir/file ${seq}`, relative: "x", access: "write" }] } },
    result: { bytes: 12, sha256: "00", head: "done" },
    ...parts,
  };
}
