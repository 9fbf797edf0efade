import type { Names, Shape } from "./shape.ts";

/** What `haft ledger` prints beside records; those are in docs/reference/ledger.md. */
export const ledgerNames: Names = {
  OpeningFiles: { how: "string", unsure: "UnsureFile[]" },
  UnsureFile: { path: "string", why: "string", "packages?": "true" },
  Run: {
    runId: "string",
    sessionKey: "string",
    facts: "object",
    workspace: { place: '"host" | "sandbox" | "node"', cwd: "string" },
    mode: '"plan" | "full" | "none"',
    openedAt: "number",
    epoch: "number",
    "heldBy?": "object",
    "closedAt?": "number",
  },
  RecordedCall: {
    "runId?": "string",
    "sessionKey?": "string",
    seq: "number",
    toolCallId: "string",
    "answeredAs?": "string",
    epoch: "number",
    toolName: "string",
    status: '"pending" | "executing" | "completed" | "failed" | "gap"',
    createdAt: "number",
    "startedAt?": "number",
    "endedAt?": "number",
    "outcome?": '"ok" | "error" | "blocked" | "pending" | "cancelled"',
    "code?": "string",
    "category?": "string",
    "receipt?": '"none" | "committed" | "unknown"',
    "args?": "unknown",
    "argsWhole?": "true",
    "received?": "object",
    "argsDigest?": "string",
    "key?": "string",
    "fingerprint?": "string",
    "poll?": "true",
    "changes?": "true",
    "tool?": "object",
    "sender?": "unknown",
    "decision?": {
      effect: '"allow" | "deny" | "ask"',
      id: "string",
      reason: "string",
      "layer?": "string",
      "rule?": "string",
      "source?": "string",
    },
    "plan?": "object",
    "result?": "object",
    "duplicateOf?": "string",
    "parentCallId?": "string",
    "approvalId?": "string",
    "decidedBy?": "string",
    "grantIds?": "string[]",
    "hosts?": "string[]",
    "resumed?": "true",
  },
};

export const ledgerShapes: Readonly<Record<string, Shape>> = {
  "ledger list": { calls: "RecordedCall[]", "next?": "string" },
  "ledger show": { run: "Run", "calls?": "RecordedCall[]", "call?": "RecordedCall" },
  "ledger replay": {
    runs: [
      {
        runId: "string",
        sessionKey: "string",
        files: "OpeningFiles",
        calls: [
          {
            toolCallId: "string",
            toolName: "string",
            verdict: '"same" | "differs" | "record" | "unsaid"',
            "why?": "string",
            "diff?": "string",
          },
        ],
      },
    ],
  },
  "ledger replay --policy": {
    decisions: [
      {
        toolCallId: "string",
        toolName: "string",
        "before?": '"allow" | "deny" | "ask"',
        "after?": '"allow" | "deny" | "ask"',
        reason: "string",
        "planned?": "true",
        changes: "boolean",
      },
    ],
  },
  "ledger check": {
    whole: "boolean",
    problems: [{ code: "string", message: "string", fix: "string" }],
    "aside?": "string",
  },
  "ledger forget": { forgotten: "number" },
};
