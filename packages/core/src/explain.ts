import type { HaftError } from "./errors.ts";
import { nearestNames } from "./nearest.ts";
import { parameterSpecOf, prepareArguments } from "./parameters.ts";
import type { Decision, SessionKind } from "./policy-port.ts";
import type { SessionState } from "./session-state.ts";
import { isAllowedAlways } from "./stages/ask-approver.ts";
import { findRepetition, repetitionKey } from "./stages/check-repetition.ts";
import { findMisplacement } from "./stages/resolve-name.ts";

/** Everything that decides about a tool or a call in one session, without running it. */
export interface CallExplanation {
  session: { key: string; kind: SessionKind; agentId: string };
  asked: string;
  /** The tool that was meant; absent when there is none. */
  toolName?: string;
  found: "visible" | "hidden" | "broken" | "unknown";
  /** What would happen: run, be asked about, or be refused and where. */
  verdict: "runs" | "asks" | "hidden" | "denied" | "invalid-arguments" | "loop" | "broken" | "unknown";
  reason: string;
  fix?: string;
  visibility?: ExplainedDecision;
  call?: ExplainedDecision;
  nearest?: string[];
}

export type ExplainedDecision = Pick<Decision, "effect" | "id" | "reason" | "fix" | "trace">;

/** Asks the evaluators that decide, in the order in which they would. */
export function explainCall(session: SessionState, asked: string, rawArgs?: unknown): CallExplanation {
  const { key, facts, view, policy } = session;
  const about = { session: { key, kind: facts.kind, agentId: facts.agentId }, asked };
  const resolution = view.resolve(asked);
  if (resolution.found === "unknown") {
    const nearest = nearestNames(
      asked,
      view.definitions.map(({ name }) => name),
    );
    return {
      ...about,
      found: "unknown",
      verdict: "unknown",
      reason: `No plugin registered a tool "${asked}".`,
      nearest,
    };
  }
  if (resolution.found === "broken") {
    const { message, fix } = resolution.diagnostic;
    return { ...about, found: "broken", verdict: "broken", reason: message, fix };
  }
  const toolName = resolution.tool.hasShortName ? resolution.tool.facts.name : resolution.tool.facts.id;
  const visibility = plain(policy.visibility(resolution.tool.facts));
  if (resolution.found === "hidden")
    return { ...about, ...said(visibility), toolName, found: "hidden", verdict: "hidden", visibility };
  const seen = { ...about, toolName, found: "visible" as const, visibility };
  const misplaced = findMisplacement(asked, resolution, session.workspace);
  if (misplaced) return { ...seen, ...saidByError(misplaced), verdict: "denied" };
  const { tool } = resolution.tool;
  let args: Record<string, unknown> | undefined;
  if (rawArgs !== undefined) {
    const prepared = prepareArguments(parameterSpecOf(tool), rawArgs);
    if (!prepared.ok) return { ...seen, ...saidByError(prepared.error), verdict: "invalid-arguments" };
    args = prepared.args;
  }
  const call = plain(policy.call(resolution.tool.facts, args ?? {}));
  if (call.effect === "deny") return { ...seen, ...said(call), verdict: "denied", call };
  const known = args && session.guard.find(repetitionKey(tool, toolName, args));
  const repetition = known && findRepetition(session, tool, known);
  if (repetition) {
    return { ...seen, ...saidByError(repetition), verdict: "loop", call };
  }
  if (call.effect === "ask" && args && isAllowedAlways(session, toolName, args)) {
    return { ...seen, verdict: "runs", reason: "This call was allowed for the rest of the session.", call };
  }
  return { ...seen, ...said(call), verdict: call.effect === "ask" ? "asks" : "runs", call };
}

/** Decisions compute their trace on demand; an explanation is data. */
function plain(decision: Decision): ExplainedDecision {
  const { effect, id, reason, fix, trace } = decision;
  return { effect, id, reason, trace, ...(fix === undefined ? {} : { fix }) };
}

function said({ reason, fix }: { reason: string; fix?: string }) {
  return fix === undefined ? { reason } : { reason, fix };
}

function saidByError({ message, fix }: Pick<HaftError, "message"> & { fix?: string | undefined }) {
  return fix === undefined ? { reason: message } : { reason: message, fix };
}
