import type { ApprovalDecision } from "@haft/core";
import type { CallRequest, ExplainOptions, Session } from "@haft/core/kernel";
import { asRecord } from "@haft/utils";
import { readName } from "../outgoing/read-name.ts";

/** Type of LangGraph's `interrupt`: it ends the run, and returns the value with which the graph is resumed. */
// A graph may be resumed with any value.
// oxlint-disable-next-line typescript/no-explicit-any
export type Interrupt = (value: any) => any;

/** A person's answer to a call in a graph. */
export interface GraphAnswer {
  decision: ApprovalDecision;
  message: string;
}

/**
 * Asks in the format of LangChain's human-in-the-loop middleware if the session would ask.
 *
 * @throws the error of `interrupt`, which ends the run of the graph
 */
export async function askGraph(
  session: Session,
  interrupt: Interrupt,
  { name, arguments: args }: CallRequest,
  of: ExplainOptions,
): Promise<GraphAnswer | undefined> {
  const { verdict, reason, toolName = name } = await session.explain(name, args, of);
  if (verdict !== "asks") return undefined;
  const resumed: unknown = interrupt({
    actionRequests: [{ name: toolName, args: asRecord(args), description: reason }],
    reviewConfigs: [{ actionName: toolName, allowedDecisions: ["approve", "reject"] }],
  });
  const { decisions } = asRecord(resumed);
  const { type, message } = asRecord(Array.isArray(decisions) ? (decisions as unknown[])[0] : resumed);
  // Only an explicit approval counts.
  return { decision: type === "approve" ? "allow-once" : "deny", message: readName(message) };
}
