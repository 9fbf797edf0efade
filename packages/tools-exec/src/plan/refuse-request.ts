import type { CommandSubject, ExecutionTarget, WorkspaceDescription } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { commandToolError } from "../errors.ts";
import { parseExemption, type ExemptionRequest } from "./containment-exemption.ts";

export interface HostRequest {
  host?: "auto" | "sandbox" | "gateway" | "node" | undefined;
  node?: string | undefined;
}

export type PolicyRequest = Pick<CommandSubject, "elevated" | "security" | "ask">;

export const HOST_BY_TARGET: Readonly<Record<ExecutionTarget, NonNullable<HostRequest["host"]>>> = {
  host: "gateway",
  sandbox: "sandbox",
  node: "node",
};

/**
 * A command for a sandbox never runs elsewhere.
 *
 * @throws `EXEC_UNAVAILABLE`
 */
export function refuseHost(
  { host, node }: HostRequest,
  { target, node: currentNode }: Pick<WorkspaceDescription, "target" | "node">,
): void {
  const here = HOST_BY_TARGET[target];
  if (host !== undefined && host !== "auto" && host !== here) {
    const fix = `Remove host (or set it to auto or ${here}) to run the command there.`;
    throw unavailable(`This session runs commands on ${here}, not on ${host}.`, host, { fix, here });
  }
  if (node === undefined || node.trim() === "" || node === currentNode?.id || node === currentNode?.name)
    return;
  const message =
    currentNode === undefined
      ? `This session runs commands on ${here}; no node can be chosen.`
      : `This session runs commands only on the node ${currentNode.name}.`;
  const fix = "Remove node to run the command here.";
  throw unavailable(message, `node ${node}`, { fix, here });
}

function unavailable(message: string, requested: string, { fix, here }: { fix: string; here?: string }) {
  const details = withoutUndefined<Record<string, unknown>>({ requested, configured: here });
  return commandToolError("EXEC_UNAVAILABLE", message, { fix, details });
}

export function needsPolicyDecision({
  elevated,
  security,
  ask,
  outside,
  network = [],
  forward,
}: PolicyRequest & ExemptionRequest): boolean {
  if (outside === true || network.length > 0 || forward !== undefined) return true;
  return elevated === true || security === "deny" || security === "allowlist" || ask === "always";
}

/**
 * The policy decides these requests from the plan. Without a plan, the call is refused: a command that requires approval does not run
 * without it.
 *
 * @throws `EXEC_UNAVAILABLE`
 */
export function refuseUnansweredRequests(
  { elevated, security, ask, ...leave }: PolicyRequest & ExemptionRequest,
  isContained: boolean,
): void {
  if (isContained && parseExemption(leave) !== undefined)
    throw unavailable(
      "Commands of this session are contained, and no policy here decides about exceptions.",
      "outside",
      { fix: "Call again without outside, network and forward, or ask the user." },
    );
  if (elevated === true)
    throw unavailable("elevated is not available: no policy here supports it.", "elevated", {
      fix: "Call again without elevated.",
    });
  if (security === "deny")
    throw unavailable("The call sets security=deny, so the command was not run.", "security=deny", {
      fix: "Remove security to run commands that the policy allows.",
    });
  if (security === "allowlist")
    throw unavailable(
      "The call requests security=allowlist, but this session has no list of allowed commands.",
      "security=allowlist",
      { fix: "Remove security: the policy has already decided about this call." },
    );
  if (ask === "always")
    throw unavailable(
      "The call requests approval first (ask=always), but no policy here asks for approval of single commands.",
      "ask=always",
      {
        fix: "Ask the user, then call again without ask, or set a policy that asks for every command.",
      },
    );
}
