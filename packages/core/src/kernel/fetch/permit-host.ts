import { matchesHostName } from "@haft/utils";
import type { HaftError } from "../../contract/errors.ts";
import type { CallSubjects } from "../../contract/plan.ts";
import type { Decision, TraceStep } from "../../contract/policy-port.ts";
import { coreError } from "../../errors.ts";
import type { ResolvedCall } from "../call.ts";

/**
 *
 * @param because Ends a sentence: the reason for a host that the tool did not name.
 * @throws HaftError `NETWORK_UNDECLARED`, `HOST_DENIED`
 */
export function permitHost(call: ResolvedCall, host: string, because = ""): void {
  const { tool, facts } = call.tool;
  const details = { host };
  const { hosts } = tool;
  if (hosts !== undefined && !hosts.some((pattern) => matchesHostName(pattern, host))) {
    const message = `${facts.name} declares the hosts ${hosts.join(", ")}, which do not include ${host}${because}.`;
    throw coreError("NETWORK_UNDECLARED", message, { details });
  }
  const { command: _command, ...others } = call.plan?.subjects ?? {};
  const decide = (about: readonly string[]): Decision =>
    call.currentPolicy.call(facts, call.args, { ...others, hosts: about } satisfies CallSubjects);
  const decision = decide([host]);
  if (decision.effect === "allow") return;
  const { reason, fix, id: decisionId } = decision;
  if (decision.effect === "ask") {
    const planned = others.hosts;
    if (planned === undefined ? isAnswered(decision, decide([])) : planned.includes(host)) return;
    throw notApproved(call, host, `${reason}${because && ` It comes to ${host}${because}.`}`, decisionId);
  }
  const message = `${host} is not contacted${because}: ${reason}`;
  throw coreError("HOST_DENIED", message, {
    ...(fix !== undefined && { fix }),
    details: { ...details, decisionId },
  });
}

/** Returns whether only host-independent rules ask: the call's approval covers them. */
function isAnswered(decision: Decision, withoutHosts: Decision): boolean {
  if (withoutHosts.effect !== "ask") return false;
  const answered = new Set(withoutHosts.trace.filter(asks).map(nameOf));
  return decision.trace.filter(asks).every((step) => answered.has(nameOf(step)));
}

const asks = ({ verdict }: TraceStep): boolean => verdict === "ask";
const nameOf = ({ layer, rule, source }: TraceStep): string => JSON.stringify([layer, rule, source]);

function notApproved(call: ResolvedCall, host: string, reason: string, decisionId: string): HaftError {
  const planned = call.plan?.subjects?.hosts;
  const fix =
    planned === undefined
      ? `Report it to the tool's author: its plan must name ${host} in subjects.hosts, so that approval is requested before the call.`
      : `Call ${call.toolName} for ${host} itself, so that approval is requested for it.`;
  const told = planned === undefined ? "names no host" : `names ${planned.join(", ")}`;
  const message = `${host} is not contacted: ${reason} The approved plan of this call ${told}.`;
  return coreError("HOST_DENIED", message, { fix, details: { host, decisionId } });
}
