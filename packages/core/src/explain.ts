import { coveringGrants, offersOf, type GrantSubject } from "./approvals/grants.ts";
import { decidingStep } from "./deciding-step.ts";
import { HaftError, messageOf } from "./errors.ts";
import { summarizeCall } from "./format/summary.ts";
import { nearestNames } from "./nearest.ts";
import { parameterSpecOf, prepareArguments } from "./parameters.ts";
import type { CallPlan } from "./plan.ts";
import type { Decision, SessionKind, TraceStep } from "./policy-port.ts";
import type { SessionState } from "./session-state.ts";
import type { VisibleTool } from "./session-view.ts";
import { findRepetition, repetitionKey } from "./stages/check-repetition.ts";
import { planOf } from "./stages/make-plan.ts";
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
  /** What the call would do, as far as it was worked out. */
  plan?: Pick<CallPlan, "subjects" | "preview">;
  /** Everything that was looked at, in order: place, visibility, rules, repetition, approval. */
  trace: ExplainedStep[];
  nearest?: string[];
}

export type ExplainedDecision = Pick<Decision, "effect" | "id" | "reason" | "fix" | "trace" | "everyTime"> & {
  shadow?: ExplainedDecision;
};

/** One thing that was looked at, and at which point of a call's life. */
export interface ExplainedStep extends TraceStep {
  stage: "place" | "visibility" | "hooks" | "policy" | "loop" | "approval";
  /** True for the one that decides. */
  decided: boolean;
}

/** Asks the evaluators that decide, in the order in which they would. */
export async function explainCall(
  session: SessionState,
  asked: string,
  rawArgs?: unknown,
): Promise<CallExplanation> {
  const { key, facts, view, policy } = session;
  const about = { session: { key, kind: facts.kind, agentId: facts.agentId }, asked };
  const resolution = view.resolve(asked);
  if (resolution.found === "unknown") {
    const names = view.definitions.map(({ name }) => name);
    const reason = `No plugin registered a tool "${asked}".`;
    return {
      ...about,
      found: "unknown",
      verdict: "unknown",
      reason,
      trace: [],
      nearest: nearestNames(asked, names),
    };
  }
  if (resolution.found === "broken") {
    const { message, fix } = resolution.diagnostic;
    return { ...about, found: "broken", verdict: "broken", reason: message, fix, trace: [] };
  }
  const toolName = resolution.tool.hasShortName ? resolution.tool.facts.name : resolution.tool.facts.id;
  const visibility = plain(policy.visibility(resolution.tool.facts));
  if (resolution.found === "hidden") {
    const trace = mark(stepsOf("visibility", visibility.trace));
    return { ...about, ...said(visibility), toolName, found: "hidden", verdict: "hidden", visibility, trace };
  }
  const seen = { ...about, toolName, found: "visible" as const, visibility };
  const place = placeStep(session);
  const misplaced = findMisplacement(asked, resolution, session.workspace);
  if (misplaced) {
    const trace = mark([{ ...place, verdict: "deny", rule: misplaced.message }]);
    return { ...seen, ...saidByError(misplaced), verdict: "denied", trace };
  }
  const before = [place, ...hookSteps(session)];
  const { tool } = resolution.tool;
  let args: Record<string, unknown> | undefined;
  let plan: CallPlan | undefined;
  if (rawArgs !== undefined) {
    const prepared = prepareArguments(parameterSpecOf(tool), rawArgs);
    const invalid = prepared.ok ? undefined : prepared.error;
    if (invalid)
      return { ...seen, ...saidByError(invalid), verdict: "invalid-arguments", trace: mark(before) };
    ({ args } = prepared as { args: Record<string, unknown> });
    const planned = await planIfAny(session, resolution.tool, args);
    if (planned instanceof HaftError) {
      return { ...seen, ...saidByError(planned), verdict: "invalid-arguments", trace: mark(before) };
    }
    plan = planned;
  }
  const decision = policy.call(resolution.tool.facts, args ?? {}, plan?.subjects);
  const call = plain(decision);
  const ruled = [...before, ...stepsOf("policy", call.trace)];
  const decided = { ...seen, call, ...(plan === undefined ? {} : { plan: shownOf(plan) }) };
  if (call.effect === "deny") return { ...decided, ...said(call), verdict: "denied", trace: mark(ruled) };
  const known = args && session.guard.find(repetitionKey(tool, toolName, args));
  const repetition = known && findRepetition(session, tool, known);
  const looked = [...ruled, loopStep(session, known?.lastId, repetition?.message)];
  if (repetition) return { ...decided, ...saidByError(repetition), verdict: "loop", trace: mark(looked) };
  if (call.effect !== "ask") return { ...decided, ...said(call), verdict: "runs", trace: mark(looked) };

  const approval = args && (await approvalStep(session, resolution.tool, toolName, args, plan, decision));
  const trace = mark(approval === undefined ? looked : [...looked, approval]);
  if (approval?.verdict === "allow")
    return { ...decided, verdict: "runs", reason: `${approval.rule}.`, trace };
  if (approval?.verdict === "deny") {
    return {
      ...decided,
      ...said(call),
      verdict: "denied",
      reason: `${call.reason} ${approval.rule}.`,
      trace,
    };
  }
  return { ...decided, ...said(call), verdict: "asks", trace };
}

type Step = Omit<ExplainedStep, "decided">;

function stepsOf(stage: Step["stage"], trace: readonly TraceStep[]): Step[] {
  return trace.map((step) => ({ stage, ...step }));
}

/** An approval that was given overrules the rule that asked for it; otherwise the strictest step decides. */
function mark(steps: readonly Step[]): ExplainedStep[] {
  const granted = steps.find(({ stage, verdict }) => stage === "approval" && verdict === "allow");
  const deciding = granted ?? decidingStep(steps);
  return steps.map((step) => ({ ...step, decided: step === deciding }));
}

function placeStep({ workspace, facts }: SessionState): Step {
  const { place, boundary } = workspace.describe();
  const where = facts.sandbox
    ? `, mount ${facts.sandbox.mount}, network ${facts.sandbox.network}`
    : ` (boundary ${boundary})`;
  return {
    stage: "place",
    layer: "place",
    rule: `acts on the ${place}${where}`,
    source: "workspace",
    verdict: "pass",
  };
}

function hookSteps({ settings }: SessionState): Step[] {
  return settings.hooks
    .filter(({ beforeToolCall }) => beforeToolCall !== undefined)
    .map(({ name }) => ({
      stage: "hooks",
      layer: "hook",
      rule: "has its say before each call; not asked now",
      source: `hook ${name}`,
      verdict: "pass",
    }));
}

function loopStep(
  { settings }: SessionState,
  lastId: string | undefined,
  repetition: string | undefined,
): Step {
  const rule =
    repetition ??
    (settings.loopLimits === undefined
      ? "the loop guard is off"
      : lastId === undefined
        ? "not made before"
        : `made before (${lastId}), within the limits`);
  return {
    stage: "loop",
    layer: "loop",
    rule,
    source: "loop guard",
    verdict: repetition === undefined ? "pass" : "deny",
  };
}

async function approvalStep(
  session: SessionState,
  tool: VisibleTool,
  toolName: string,
  args: Record<string, unknown>,
  plan: CallPlan | undefined,
  decision: Decision,
): Promise<Step> {
  const summary = () => summarizeCall(toolName, args, { format: "plain" });
  const subject: GrantSubject = { tool, args, plan, decision, toolName, summary };
  const base = { stage: "approval", layer: "approval" } as const;
  const grants = await coveringGrants(session, subject);
  if (grants !== undefined) {
    const ids = grants.map(({ id, kind }) => `${id} (${kind})`).join(", ");
    return { ...base, rule: `allowed before, by grant ${ids}`, source: "approvals", verdict: "allow" };
  }
  const { noAlways } = offersOf(session, subject);
  const rule = noAlways === undefined ? "no grant covers it" : `no grant can cover it: ${noAlways}`;
  if (session.settings.approvalMode === "deny") {
    return { ...base, rule: `${rule}, and nobody can be asked here`, source: "approvals", verdict: "deny" };
  }
  return { ...base, rule, source: "approvals", verdict: "ask" };
}

async function planIfAny(
  session: SessionState,
  tool: VisibleTool,
  args: Record<string, unknown>,
): Promise<CallPlan | undefined | HaftError> {
  if (tool.tool.plan === undefined) return undefined;
  try {
    return await planOf(session, tool, args, new AbortController().signal);
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
    return new HaftError("TOOL_FAILED", messageOf(thrown), { category: "operational" });
  }
}

function shownOf({ subjects, preview }: CallPlan): Pick<CallPlan, "subjects" | "preview"> {
  return { ...(subjects === undefined ? {} : { subjects }), ...(preview === undefined ? {} : { preview }) };
}

/** Decisions compute their trace on demand; an explanation is data. */
function plain(decision: Decision): ExplainedDecision {
  const { effect, id, reason, fix, trace, everyTime, shadow } = decision;
  return {
    effect,
    id,
    reason,
    trace,
    ...(fix === undefined ? {} : { fix }),
    ...(everyTime === undefined ? {} : { everyTime }),
    ...(shadow === undefined ? {} : { shadow: plain(shadow) }),
  };
}

function said({ reason, fix }: { reason: string; fix?: string }) {
  return fix === undefined ? { reason } : { reason, fix };
}

function saidByError({ message, fix }: Pick<HaftError, "message"> & { fix?: string | undefined }) {
  return fix === undefined ? { reason: message } : { reason: message, fix };
}
