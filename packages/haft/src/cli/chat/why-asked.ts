import type { ApprovalRequestRecord } from "@haft/core";
import type { CallExplanation, Session } from "@haft/core/kernel";
import type { SessionContainment } from "../../contained/containment.ts";

export async function explained(
  explanation: CallExplanation,
  containment: SessionContainment,
  ofTool: boolean,
): Promise<string> {
  const { formatCallExplanation } = await import("../explain/explain.ts");
  return formatCallExplanation(explanation, { containment, network: undefined }, ofTool);
}

/**
 * Why somebody is asked about a call that waits. Made again it would be refused, since it waits already: of what is looked at
 * behind policy nothing counts here.
 */
export async function whyAsked(session: Session, request: ApprovalRequestRecord): Promise<CallExplanation> {
  const { tool, args, reason } = request;
  const explanation = await session.explain(tool.name, args);
  const { call, fix: _fix, code: _code, ...rest } = explanation;
  const trace = explanation.trace.filter(({ stage }) => stage !== "loop" && stage !== "approval");
  const deciding = trace.findLast(({ verdict }) => verdict === "ask");
  return {
    ...rest,
    ...(call && { call }),
    ...(call?.fix !== undefined && { fix: call.fix }),
    verdict: "asks",
    reason,
    trace: trace.map((step) => ({ ...step, decided: step === deciding })),
  };
}
