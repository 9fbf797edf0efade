import { ledgerNames, ledgerShapes } from "./ledger-shapes.ts";
import { mcpNames, mcpShapes } from "./mcp-shapes.ts";
import { nodeNames, nodeShapes } from "./node-shapes.ts";
import { pluginNames, pluginShapes } from "./plugin-shapes.ts";
import type { Names, Shape } from "./shape.ts";
import { trustNames, trustShapes } from "./trust-shapes.ts";

// What `--json` prints: the source of docs/reference/command.md, compared with real output by json-shapes.test.ts. New members may
// come; one that is here stays, and keeps its meaning.

const kinds = '"main" | "group" | "sandboxed"';
const verdicts = '"allow" | "deny" | "ask"';

/** What several commands print. */
export const names: Names = {
  ...ledgerNames,
  ...mcpNames,
  ...nodeNames,
  ...trustNames,
  Containment: { "wanted?": "object", contained: "boolean", "reason?": "string", "fix?": "string" },
  Content: {
    type: '"text" | "image"',
    "text?": "string",
    "language?": "string",
    "data?": "string",
    "mimeType?": "string",
  },
  Step: {
    layer: "string",
    rule: "string",
    source: "string",
    verdict: '"allow" | "deny" | "ask" | "pass"',
    "toSome?": '"deny" | "ask"',
  },
  Decision: {
    effect: verdicts,
    id: "string",
    reason: "string",
    "fix?": "string",
    "everyTime?": "string",
    "shadow?": "object",
    trace: "Step[]",
  },
  Problem: {
    "severity?": '"warning"',
    path: "string",
    "line?": "number",
    message: "string",
    "nearest?": "string[]",
  },
  Probe: {
    backend: "string",
    available: "boolean",
    "reason?": "string",
    "fix?": "string",
    "startMs?": "number",
    details: { "[name]": "string" },
  },
  Unasked: { backend: "string", reason: "string" },
  Cell: {
    word: '"allow" | "ask" | "grant" | "deny"',
    dependsOnCall: "boolean",
    "toSome?": '"ask" | "grant" | "deny"',
    "toOthers?": '"allow" | "ask" | "grant" | "deny"',
    reason: "string",
    rule: "string",
    source: "string",
    "fix?": "string",
    "contained?": "string",
  },
  Row: { name: "string", toolId: "string", cells: { main: "Cell", group: "Cell", sandboxed: "Cell" } },
  Value: { key: "string", value: "unknown", from: "string", "line?": "number" },
  Risk: { kind: "string", level: "string", text: "string" },
  Offer: { kind: '"exact" | "program"', key: "string", summary: "string" },
  Request: {
    approvalId: "string",
    agentId: "string",
    sessionKey: "string",
    sessionKind: kinds,
    toolCallId: "string",
    tool: { id: "string", name: "string", effects: "string[]" },
    "args?": "unknown",
    reason: "string",
    preview: "Content[]",
    "risks?": "Risk[]",
    offers: "Offer[]",
    "noAlways?": "string",
    "noProgramGrant?": "string",
    requestedAt: "number",
    expiresAt: "number",
    "runId?": "string",
    "attended?": "boolean",
  },
  Receipt: '"none" | "committed" | "unknown"',
  ...pluginNames,
};

const changed: Shape = {
  "transactionId?": "string",
  dryRun: "boolean",
  changed: "boolean",
  files: "FileChange[]",
};

/** By the command line that prints it, without options that do not change the shape. */
export const shapes: Readonly<Record<string, Shape>> = {
  "--version": { version: "string", node: "string" },
  "tools list": {
    tools: [{ name: "string", description: "string", parameters: "object", "[more]": "unknown" }],
    missing: [{ id: "string", name: "string", code: "string", reason: "string", "fix?": "string" }],
    containment: "Containment",
  },
  "tools list --all": { rows: "Row[]" },
  explain: {
    session: { key: "string", kind: kinds, agentId: "string" },
    asked: "string",
    "toolName?": "string",
    found: '"visible" | "hidden" | "broken" | "absent" | "unknown"',
    verdict:
      '"runs" | "asks" | "hidden" | "denied" | "invalid-arguments" | "fails" | "loop" | "broken" | "absent" | "unknown"',
    reason: "string",
    "fix?": "string",
    "code?": "string",
    "visibility?": "Decision",
    "call?": "Decision",
    "plan?": { preview: "Content[]", "subjects?": "object" },
    trace: [
      {
        stage: "string",
        layer: "string",
        rule: "string",
        source: "string",
        verdict: '"allow" | "deny" | "ask" | "pass"',
        "toSome?": '"deny" | "ask"',
        decided: "boolean",
      },
    ],
    "nearest?": "string[]",
    containment: "Containment",
  },
  "tools call": {
    toolCallId: "string",
    toolName: "string",
    kind: '"ok" | "error" | "blocked" | "pending" | "cancelled"',
    "code?": "string",
    "approvalId?": "string",
    content: "Content[]",
    details: "object",
    durationMs: "number",
    receipt: "Receipt",
  },
  "tools call --follow": {
    toolCallId: "string",
    toolName: "string",
    kind: '"update"',
    content: "Content[]",
    details: "unknown",
    durationMs: "number",
  },
  "tools patch": changed,
  "undo CHANGE": changed,
  undo: {
    changes: [
      {
        transactionId: "string",
        at: "number",
        undoable: "boolean",
        "reason?": "string",
        files: [
          {
            path: "string",
            "kind?": '"added" | "modified" | "deleted" | "moved" | "unchanged"',
            "from?": "string",
            "added?": "number",
            "removed?": "number",
          },
        ],
      },
    ],
  },
  "policy check": {
    ok: "boolean",
    files: [{ file: "string", problems: "Problem[]", warnings: "Problem[]" }],
  },
  "policy test": {
    ok: "boolean",
    results: [
      {
        file: "string",
        result: {
          expectation: "object",
          passed: "boolean",
          effect: '"allow" | "ask" | "deny" | "error"',
          reason: "string",
          "containment?": '"workspace" | "read-only" | "none"',
          "rule?": "string",
          "source?": "string",
        },
      },
    ],
  },
  "policy import": {
    agent: "string",
    files: "string[]",
    config: "object",
    policy: "string",
    notTranslated: [{ file: "string", "line?": "number", text: "string", why: "string" }],
    "out?": "string",
  },
  "policy schema": { $schema: "string", "[keyword]": "unknown" },
  "sandbox doctor": "Probe[]",
  "sandbox list": {
    sandboxes: [
      {
        backend: "string",
        id: "string",
        key: "string",
        scope: '"session" | "agent" | "shared"',
        specHash: "string",
        createdAt: "number",
        state: '"running" | "stopped"',
        detached: "boolean",
      },
    ],
    unasked: "Unasked[]",
  },
  "sandbox prune": {
    removed: "string[]",
    failed: [{ key: "string", reason: "string" }],
    kept: "number",
    unasked: "Unasked[]",
  },
  "sandbox restore": {
    quarantined: [{ path: "string", kept: "string", tracked: "boolean" }],
    restored: "string[]",
    failed: [{ path: "string", kept: "string", reason: "string" }],
  },
  "sandbox explain": {
    "backend?": "string",
    why: "string",
    probes: "Probe[]",
    kind: kinds,
    name: "string",
    spec: "object",
    held: "object[]",
    doors: { covered: "string[]", folders: "string[]", unlooked: "string[]", "refused?": "string" },
    execHost: '"sandbox"',
    tools: [{ name: "string", verdict: "string", reason: "string" }],
  },
  "sandbox explain contained": {
    kind: kinds,
    "wanted?": "object",
    contained: "boolean",
    "reason?": "string",
    "fix?": "string",
    "places?": "object",
  },
  "config show": {
    looked: [
      {
        path: "string",
        as: '"--config" | "HAFT_CONFIG" | "user" | "workspace" | "HAFT_POLICY"',
        outcome: '"used" | "absent" | "passed over"',
        "why?": "string",
        "trust?": '"trusted" | "not trusted" | "ended"',
        "notes?": "string[]",
      },
    ],
    values: "Value[]",
    tightens: "Value[]",
    trusted: "Value[]",
  },
  "config check": { ok: "boolean", files: [{ file: "string", problems: "Problem[]" }] },
  "config schema": { $schema: "string", "[keyword]": "unknown" },
  ...pluginShapes,
  ...trustShapes,
  ...ledgerShapes,
  ...mcpShapes,
  ...nodeShapes,
  "approvals list": { requests: "Request[]" },
  "approvals list --watch": "Request",
  "approvals answer": {
    approvalId: "string",
    decision: '"allow-once" | "allow-always" | "deny"',
    "grant?": '"exact" | "program"',
    "forMs?": "number",
    "by?": "string",
    heard: "boolean",
    "kept?": "true",
  },
  "approvals grants": {
    grants: [
      {
        id: "string",
        agentId: "string",
        sessionKey: "string",
        toolId: "string",
        kind: '"exact" | "program"',
        key: "string",
        summary: "string",
        createdAt: "number",
        "expiresAt?": "number",
        "by?": "string",
        used: "number",
        "lastUsedAt?": "number",
      },
    ],
  },
  "approvals revoke": { revoked: "string[]", unknown: "string[]" },
  "config init": { file: "string", "schema?": "string", next: "string[]" },
};

/** What any of them prints when it fails. */
export const errorShape: Shape = {
  error: "string",
  message: "string",
  "fix?": "string",
  "[detail]": "unknown",
};
