import type { HaftError } from "../../contract/errors.ts";
import type { CallPlan } from "../../contract/plan.ts";
import type { SessionPolicy } from "../../contract/policy-port.ts";
import type { ToolOutcome } from "../../contract/result.ts";
import type { PlanContext } from "../../contract/tool.ts";
import { coreError } from "../../errors.ts";
import { copyArguments } from "../../parameters/copy-arguments.ts";
import { withTimeout } from "../../utils/promises.ts";
import type { PreparedCall } from "../call.ts";
import { cancelled, failed } from "../outcome.ts";
import type { SessionState } from "../session-state.ts";
import type { VisibleTool } from "../session-view.ts";

/** Milliseconds a plan may take: it looks at a few files, and must never hang a call. */
const PLAN_LIMIT_MS = 30_000;

/** Whether somebody needs to know what this call would do: a rule, a person, or both. */
export function needsPlan(call: PreparedCall): boolean | Promise<boolean> {
  const { policy, args, session, calledAs, tool } = call;
  if (tool.tool.plan === undefined) return false;
  if (call.askedByHook !== undefined || policy.needsSubjects?.(tool.facts) === true) return true;
  // Kept, so that the rules are gone through once.
  call.decision = policy.call(tool.facts, args);
  return call.decision.effect === "ask" || wantsPlan(session, tool, args, calledAs);
}

/** Whether a rule, or the call itself, makes the decision depend on what it would do. */
export function dependsOnPlan(
  session: SessionState,
  policy: SessionPolicy,
  tool: Pick<VisibleTool, "tool" | "facts">,
  args: Record<string, unknown>,
  calledAs: string | undefined,
): boolean | Promise<boolean> {
  return policy.needsSubjects?.(tool.facts) === true || wantsPlan(session, tool, args, calledAs);
}

/** A tool that cannot say has its call looked at. */
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

/** Has the tool say what the call would do. */
export async function makePlan(call: PreparedCall): Promise<ToolOutcome | undefined> {
  const { signal } = call;
  try {
    call.plan = await planOf(call.session, call.tool, call.args, call.calledAs, signal);
    if (!signal.aborted) return undefined;
  } catch (thrown) {
    if (!signal.aborted) return failed(call, thrown);
  }
  return cancelled(call, "aborted before it ran.", "none");
}

/** The plan of a call of this session, also of one that is only asked about. */
export async function planOf(
  session: SessionState,
  { tool, facts }: Pick<VisibleTool, "tool" | "facts">,
  args: Record<string, unknown>,
  calledAs: string | undefined,
  signal?: AbortSignal,
): Promise<CallPlan | undefined> {
  const context = planContext(session, facts, calledAs);
  // A copy to the last member: a tool that plans does not get to change what is decided about.
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
  const message = `What ${name} would do could not be worked out in ${PLAN_LIMIT_MS / 1000} s, so it was not done.`;
  return coreError("PLAN_TIMEOUT", message, { receipt: "none" });
}
