import { withoutUndefined, withTimeout } from "@haft/utils";
import { HaftError } from "../../contract/errors.ts";
import type { CallPlan, Refusal } from "../../contract/plan.ts";
import type { SessionPolicy } from "../../contract/policy-port.ts";
import type { PlanContext } from "../../contract/tool.ts";
import { coreError } from "../../errors.ts";
import { copyArguments } from "../../parameters/copy-json.ts";
import type { PreparedCall, Step } from "../call.ts";
import { createCancelledOutcome, createFailedOutcome } from "../outcome.ts";
import type { SessionState } from "../session-state.ts";
import type { VisibleTool } from "../session-view.ts";
import { askPolicy } from "./ask-policy.ts";

/** Limits a plan, which reads a few files and must never block a call. */
const PLAN_LIMIT_MS = 30_000;

function needsPlan(call: PreparedCall): boolean | Promise<boolean> {
  const { policy, args, session, calledAs, tool } = call;
  if (tool.tool.plan === undefined) return false;
  if (call.isResumed || call.askedByHook !== undefined || policy.needsSubjects?.(tool.facts) === true)
    return true;
  call.decision = policy.call(tool.facts, args);
  return call.decision.effect === "ask" || wantsPlan(session, tool, args, calledAs);
}

export function dependsOnPlan(
  session: SessionState,
  policy: SessionPolicy,
  tool: Pick<VisibleTool, "tool" | "facts">,
  args: Record<string, unknown>,
  calledAs: string | undefined,
): boolean | Promise<boolean> {
  return policy.needsSubjects?.(tool.facts) === true || wantsPlan(session, tool, args, calledAs);
}

function wantsPlan(
  session: SessionState,
  { tool, facts }: Pick<VisibleTool, "tool" | "facts">,
  args: Record<string, unknown>,
  calledAs: string | undefined,
): boolean | Promise<boolean> {
  if (tool.wantsPlan === undefined) return false;
  try {
    const wants: unknown = tool.wantsPlan(copyArguments(args), planContext(session, facts, calledAs));
    if (!(wants instanceof Promise)) return Boolean(wants);
    return withTimeout(wants, PLAN_LIMIT_MS, { error: () => tooLong(facts.name) }).then(Boolean, () => true);
  } catch {
    return true;
  }
}

export function makePlan(call: PreparedCall): Promise<Step> | undefined {
  const needed = call.plan === undefined && needsPlan(call);
  return needed === false ? undefined : planIf(call, needed);
}

async function planIf(call: PreparedCall, needed: true | Promise<boolean>): Promise<Step> {
  if (!(await needed)) return undefined;
  const problem = await takePlan(call);
  // The reason may reveal files to a sender without permission, who gets the denial instead.
  return problem?.kind === "error" ? (askPolicy(call) ?? problem) : problem;
}

async function takePlan(call: PreparedCall): Promise<Step> {
  const { signal } = call;
  try {
    call.plan = await computePlan(call.session, call.tool, call.args, call.calledAs, signal);
    if (!signal.aborted) return undefined;
  } catch (thrown) {
    if (!signal.aborted) return createFailedOutcome(call, thrown);
  }
  return createCancelledOutcome(call, "aborted before it ran.", "none");
}

export async function computePlan(
  session: SessionState,
  { tool, facts }: Pick<VisibleTool, "tool" | "facts">,
  args: Record<string, unknown>,
  calledAs: string | undefined,
  signal?: AbortSignal,
): Promise<CallPlan | undefined> {
  const context = planContext(session, facts, calledAs);
  // A copy: the tool cannot change the evaluated arguments.
  return withTimeout((stopped) => tool.plan?.(copyArguments(args), context, stopped), PLAN_LIMIT_MS, {
    error: () => tooLong(facts.name),
    signal,
  });
}

function planContext(
  session: SessionState,
  facts: VisibleTool["facts"],
  calledAs: string | undefined,
): PlanContext {
  return {
    toolName: calledAs ?? facts.name,
    sessionKey: session.key,
    sessionKind: session.facts.kind,
    agentId: session.facts.agentId,
    workspace: session.workspace,
    logger: session.settings.logger,
  };
}

function tooLong(name: string): HaftError {
  const message = `The plan of ${name} took longer than ${PLAN_LIMIT_MS / 1000} s, so the call did not run.`;
  return coreError("DEADLINE_EXCEEDED", message, {
    fix: "Try again, or ask for less at once.",
    receipt: "none",
  });
}

/** A plan's refusal of the action also forbids the call. */
export function refusalFrom(thrown: unknown): Refusal | undefined {
  if (!HaftError.is(thrown) || thrown.category !== "policy") return undefined;
  const { code, message, fix } = thrown;
  return withoutUndefined({ code, reason: message, fix });
}

export function refusalError({ code, reason, fix }: Refusal): HaftError {
  return new HaftError(code, reason, withoutUndefined({ category: "policy", receipt: "none", fix }));
}
