import type { AuditEntry } from "@haft/config";
import { formatAuditLine } from "@haft/config/internal/audit";
import { AuditLog } from "@haft/config/internal/audit-log";
import { defaultStateFolder } from "@haft/config/internal/boundary";
import { DEFAULT_AUDIT_BYTES, DEFAULT_AUDIT_FILES } from "@haft/config/internal/defaults";
import { type AuditSettings, parseBytes } from "@haft/config/internal/document";
import { findDecisiveStep } from "@haft/core/internal";
import { maskAndTruncate } from "@haft/core/internal/records";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { getEffect, sessionFacts } from "../decide/judge.ts";
import { describeViolation } from "../decide/protected-paths.ts";
import { PROBE_FILE, PROBE_SESSION } from "../settings/hook-constants.ts";
import type { AuditedDecision } from "./run-hook.ts";

/**
 * Hooks that only watch write to a log in the state folder by default.
 *
 * @throws HaftError `LEDGER_UNAVAILABLE`
 */
export async function auditDecision(
  written: AuditedDecision,
  settings: AuditSettings | undefined,
): Promise<void> {
  const {
    file = join(defaultStateFolder(), "guard", "watched.jsonl"),
    bytes = DEFAULT_AUDIT_BYTES,
    files = DEFAULT_AUDIT_FILES,
  } = settings ?? {};
  const log = new AuditLog({ file, bytes: parseBytes(bytes) ?? DEFAULT_AUDIT_BYTES, files });
  try {
    await log.append(formatAuditLine(entryOf(written)));
  } finally {
    log.close();
  }
}

const PROBE_FOLDER = /[/\\]haft-guard-probe-[^/\\]+$/;

/** A call with a possible effect is not a probe, even if the agent uses the session name of probes. */
function isProbe({ payload, decided: { judgement, verdict } }: AuditedDecision): boolean {
  const { agent, sessionKey } = payload;
  const isDenied = judgement?.decisiveCall?.violation !== undefined || verdict.failed === true;
  const { calls, cwd } = payload;
  const isHarmless = calls.every(
    (call) =>
      call.kind === "files" &&
      call.paths.every((path) => path === join(cwd, PROBE_FILE) && PROBE_FOLDER.test(cwd)),
  );
  return sessionKey === `${agent}:${PROBE_SESSION}` && (isDenied || isHarmless);
}

function entryOf(written: AuditedDecision): AuditEntry {
  const { payload, decided, answer, watched, project } = written;
  const { agent, event, toolName, toolInput, cwd, sessionKey } = payload;
  const { judgement, approvalId, answered } = decided;
  const deciding = judgement?.decisiveCall;
  const at = Date.now();
  const common = {
    audit: 1 as const,
    at,
    pid: process.pid,
    runId: `guard:${sessionKey}`,
    sessionKey,
    session: sessionFacts(payload),
    seq: 1,
    epoch: 1,
    toolCallId: randomUUID(),
    toolName,
    createdAt: at,
    args: maskAndTruncate(toolInput),
    guard: {
      agent,
      event,
      folder: cwd,
      ...(project === cwd ? {} : { project }),
      answer,
      ...(watched && { watched: true as const }),
      ...(isProbe(written) && { probe: true as const }),
      ...(answered && { answered }),
    },
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(deciding && { tool: toolOf(deciding.tool), ...decisionOf(deciding) }),
    ...(deciding?.subjects && {
      plan: { subjects: maskAndTruncate(deciding.subjects) as typeof deciding.subjects },
    }),
  };
  // The hook does not learn what the agent then does.
  if (answer === "allow") return { ...common, status: "executing", receipt: "unknown" };
  if (answer === "ask" || approvalId !== undefined)
    return { ...common, status: "pending", outcome: "pending", receipt: "none" };
  return { ...common, status: "failed", endedAt: at, outcome: "blocked", receipt: "none" };
}

type Deciding = NonNullable<NonNullable<AuditedDecision["decided"]["judgement"]>["decisiveCall"]>;

function toolOf(facts: Deciding["tool"]): NonNullable<AuditEntry["tool"]> {
  const { parameters: _parameters, ...rest } = facts;
  return rest;
}

function decisionOf(judged: Deciding): Pick<AuditEntry, "decision"> {
  const { decision, violation = "" } = judged;
  const effect = getEffect(judged);
  if (decision === undefined)
    return {
      decision: { effect, id: "guard-own", reason: `It ${describeViolation(violation)}.`, layer: "guard" },
    };
  const { id, reason } = decision;
  const step = findDecisiveStep(decision.trace);
  return {
    decision: maskAndTruncate({
      effect,
      id,
      reason,
      ...(step && { layer: step.layer, rule: step.rule, source: step.source }),
    }) as NonNullable<AuditEntry["decision"]>,
  };
}
