import type { Call } from "../call.ts";
import { signalOf } from "../approvals/waiting-call.ts";
import { HaftError } from "../errors.ts";
import { cancelled, failed } from "../outcome.ts";
import type { PlanContext } from "../tool.ts";
import type { CallPlan } from "../plan.ts";
import type { ToolOutcome } from "../result.ts";
import type { SessionState } from "../session-state.ts";
import type { VisibleTool } from "../session-view.ts";

/** Milliseconds a plan may take: it looks at a few files, and must never hang a call. */
const PLAN_LIMIT_MS = 30_000;

/** Whether somebody needs to know what this call would do: a rule, a person, or both. */
export function needsPlan(call: Call): boolean {
  const { tool, facts } = call.tool!;
  if (tool.plan === undefined) return false;
  const policy = call.policy;
  if (call.askedByHook !== undefined || policy.needsSubjects?.(facts) === true) return true;
  return policy.call(facts, call.args).effect === "ask";
}

/** Has the tool say what the call would do. */
export async function makePlan(call: Call): Promise<ToolOutcome | undefined> {
  try {
    call.plan = await planOf(call.session, call.tool!, call.args, signalOf(call), call.calledAs);
    if (!signalOf(call).aborted) return undefined;
  } catch (thrown) {
    if (!signalOf(call).aborted) return failed(call, thrown);
  }
  return cancelled(call, "CANCELLED", "aborted before it ran.", "none");
}

/** The plan of a call of this session, also of one that is only asked about. */
export async function planOf(
  session: SessionState,
  { tool, facts }: Pick<VisibleTool, "tool" | "facts">,
  args: Record<string, unknown>,
  outer: AbortSignal,
  calledAs = facts.name,
): Promise<CallPlan | undefined> {
  const context: PlanContext = {
    toolName: calledAs,
    sessionKey: session.key,
    sessionKind: session.facts.kind,
    agentId: session.facts.agentId,
    workspace: session.workspace,
    logger: session.settings.logger,
  };
  const signal = AbortSignal.any([outer, AbortSignal.timeout(PLAN_LIMIT_MS)]);
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = () => reject(tooLong(facts.name));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  return Promise.race([startPlan(() => tool.plan!({ ...args }, context, signal)), aborted]);
}

/** A tool that throws at once rejects, too. */
async function startPlan<T>(make: () => T | Promise<T>): Promise<T> {
  return make();
}

function tooLong(name: string): HaftError {
  return new HaftError(
    "PLAN_TIMEOUT",
    `What ${name} would do could not be worked out in ${PLAN_LIMIT_MS / 1000} s, so it was not done.`,
    {
      category: "operational",
      fix: "Try again, or ask for less at once.",
      receipt: "none",
    },
  );
}
