import type { CallRecord, RunRecord } from "@haft/core/kernel";
import { withoutUndefined } from "@haft/utils";

/** 23 November 2026, 21:00 UTC. */
export const START_TIME = Date.UTC(2026, 10, 23, 21);

/** A run as a store keeps it. */
export function createRun(more: Partial<RunRecord> = {}): RunRecord {
  return {
    runId: "01kb7m0q5vx2h8e9w3t6",
    sessionKey: "cli:main:2f1edea134",
    facts: { kind: "main", agentId: "main", model: "", messageChannel: "" },
    workspace: { place: "host", cwd: "/home/ada/project" },
    mode: "full",
    openedAt: START_TIME,
    epoch: 1,
    closedAt: START_TIME + 60_000,
    ...more,
  };
}

/** What a call has instead, and what it has not. */
type Given = { -readonly [Name in keyof CallRecord]?: CallRecord[Name] | undefined };

/** A call as a store keeps it: of `read` that went well, unless something else is said. */
export function createCall(seq: number, more: Given = {}): CallRecord {
  const { createdAt = START_TIME + seq * 1_000 } = more;
  return withoutUndefined<CallRecord>({
    seq,
    toolCallId: `call_${seq}`,
    epoch: 1,
    toolName: "read",
    status: "completed",
    outcome: "ok",
    receipt: "none",
    createdAt,
    startedAt: createdAt + 2,
    endedAt: createdAt + 20,
    args: { path: "README.md" },
    decision: {
      effect: "allow",
      id: "d1",
      reason: "read is allowed in main sessions (built-in session table: contained to the workspace).",
      layer: "sessions",
      rule: "read in main sessions: allow",
      source: "built-in session table",
    },
    result: { content: [{ type: "text", text: "hello" }], details: {} },
    ...more,
  } as CallRecord);
}

/** Everything that can be said of calls, in one run; and texts that want to be more than text. */
export function createSampleCalls(): CallRecord[] {
  const at = (seq: number) => START_TIME + seq * 1_000;
  return [
    createCall(1),
    createCall(2, {
      toolName: "edit",
      args: { path: "src/total.ts", oldText: "a - b", newText: "a + b" },
      receipt: "committed",
      result: {
        content: [{ type: "text", text: "Changed src/total.ts at line 2." }],
        details: {
          path: "src/total.ts",
          changed: true,
          replacements: 1,
          hash: "ab",
          diff: "--- a/src/total.ts\n+++ b/src/total.ts\n@@ -1,3 +1,3 @@\n export function total(a: number, b: number) {\n-  return a - b;\n+  return a + b;\n }\n",
          hunks: [],
        },
      },
    }),
    createCall(3, {
      toolName: "exec",
      args: { command: "npm test -- --run" },
      startedAt: at(3) + 12,
      endedAt: at(3) + 4_200,
      receipt: "committed",
      result: {
        content: [{ type: "text", text: "\u001b[32m12 passed\u001b[0m\n0 failed" }],
        details: { exitCode: 0 },
      },
      plan: {
        subjects: {
          command: {
            text: "npm test -- --run",
            cwd: "/home/ada/project",
            commands: [
              { name: "npm", path: "/usr/bin/npm", argv: ["npm", "test", "--", "--run"], through: [] },
            ],
          },
        },
      },
    }),
    createCall(4, {
      toolName: "exec",
      args: { command: "git push origin main" },
      createdAt: at(9),
      startedAt: at(9) + 1_260_000,
      endedAt: at(9) + 1_262_300,
      receipt: "committed",
      approvalId: "k3fw9ab2",
      decidedBy: "ada (command line)",
      decision: {
        effect: "ask",
        id: "d2",
        reason: "exec needs approval: git push is on no list.",
        layer: "exec",
        rule: "ask on miss",
        source: "policy.yaml:12",
      },
    }),
    createCall(5, {
      toolName: "read",
      args: {
        path: '"><script>document.title="ran"</script><img src=https://evil.example.com/x onerror=document.title="ran">',
      },
      createdAt: at(1_275),
      startedAt: at(1_275) + 3,
      endedAt: at(1_275) + 9,
      status: "failed",
      outcome: "error",
      code: "FILE_NOT_FOUND",
      result: {
        content: [
          {
            type: "text",
            text: '</pre></details><script>document.title="ran"</script><style>body{display:none}</style>\u202egnp.exe\u200b <a href="javascript:document.title=1">x</a>\nAPI_KEY=sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD',
          },
        ],
        details: {},
      },
    }),
    createCall(6, {
      toolName: "write",
      args: { path: "/etc/hosts", content: "x" },
      createdAt: at(1_276),
      startedAt: undefined,
      endedAt: at(1_276) + 1,
      status: "failed",
      outcome: "blocked",
      code: "OUTSIDE_WORKSPACE",
      result: { bytes: 40, sha256: "ab", head: "It is outside of the workspace." },
    }),
    createCall(7, {
      toolName: "exec",
      args: { command: "sleep 100" },
      createdAt: at(1_277),
      startedAt: at(1_277) + 4,
      endedAt: at(1_279),
      status: "failed",
      outcome: "cancelled",
      code: "ABORTED",
      receipt: "unknown",
    }),
    createCall(8, {
      toolName: "exec",
      args: { command: "make release" },
      createdAt: at(1_280),
      startedAt: at(1_280) + 5,
      endedAt: at(1_283),
      status: "failed",
      outcome: "error",
      code: "INTERRUPTED",
      receipt: "unknown",
      result: undefined,
    }),
    createCall(9, {
      status: "gap",
      toolName: "",
      createdAt: at(1_283),
      outcome: undefined,
      result: undefined,
    }),
    createCall(10, {
      toolName: "send_message",
      args: { to: "room-1", text: "done" },
      createdAt: at(1_285),
      startedAt: undefined,
      endedAt: undefined,
      status: "pending",
      outcome: undefined,
      argsWhole: true,
      approvalId: "m4ze7qpk",
      result: undefined,
      receipt: undefined,
    }),
  ];
}
