import type { CommandSubject, Place, WorkspaceDescription } from "@haft/plugin-sdk";
import { commandToolError } from "../errors.ts";
import { leaveOf, type LeaveWishes } from "./leave-view.ts";

export interface HostWishes {
  host?: "auto" | "sandbox" | "gateway" | "node" | undefined;
  node?: string | undefined;
}

export type PolicyWishes = Pick<CommandSubject, "elevated" | "security" | "ask">;

export const HOST_OF: Readonly<Record<Place, NonNullable<HostWishes["host"]>>> = {
  host: "gateway",
  sandbox: "sandbox",
  node: "node",
};

/**
 * Refuses a place this session does not have. A command that was to run in a sandbox does not run anywhere else.
 *
 * @throws HaftError `EXEC_HOST_UNAVAILABLE`
 */
export function refuseHost(
  { host, node }: HostWishes,
  { place, node: own }: Pick<WorkspaceDescription, "place" | "node">,
): void {
  const here = HOST_OF[place];
  if (host !== undefined && host !== "auto" && host !== here) {
    throw commandToolError(
      "EXEC_HOST_UNAVAILABLE",
      `This session runs commands on ${here}, not on ${host}.`,
      {
        fix: `Leave out host (or set it to auto or ${here}) if the command is right there too.`,
        details: { requested: host, configured: here },
      },
    );
  }
  const isOwn = own !== undefined && (node === own.id || node === own.name);
  if (node !== undefined && node.trim() !== "" && !isOwn) {
    throw commandToolError(
      "EXEC_HOST_UNAVAILABLE",
      own === undefined
        ? `This session runs commands on ${here}; no node can be chosen.`
        : `This session runs commands on the node ${own.name}, and on no other.`,
      {
        fix: "Leave out node if the command is right here too.",
        details: { requested: `node ${node}`, configured: here },
      },
    );
  }
}

export function asksPolicy({
  elevated,
  security,
  ask,
  outside,
  network,
  forward,
}: PolicyWishes & LeaveWishes): boolean {
  if (outside === true || (network ?? []).length > 0 || forward !== undefined) return true;
  return elevated === true || security === "deny" || security === "allowlist" || ask === "always";
}

/**
 * Policy answers these wishes, from the plan of the call. Without a plan nobody has, and a wish is never ignored: a
 * command that was to run only after somebody was asked does not run unasked.
 *
 * @throws HaftError `EXEC_OUTSIDE_UNAVAILABLE`, `EXEC_ELEVATED_UNAVAILABLE`, `EXEC_DENIED`, `EXEC_ALLOWLIST_UNAVAILABLE`, `EXEC_APPROVAL_UNAVAILABLE`
 */
export function refuseUnanswered(
  { elevated, security, ask, ...leave }: PolicyWishes & LeaveWishes,
  isContained: boolean,
): void {
  if (isContained && leaveOf(leave) !== undefined)
    throw commandToolError(
      "EXEC_OUTSIDE_UNAVAILABLE",
      "Commands of this session are contained, and no policy here decides about more than that.",
    );
  if (elevated === true)
    throw commandToolError(
      "EXEC_ELEVATED_UNAVAILABLE",
      "elevated is not available right now: no policy here knows of it.",
    );
  if (security === "deny")
    throw commandToolError("EXEC_DENIED", "The call itself says security=deny, so the command was not run.");
  if (security === "allowlist")
    throw commandToolError(
      "EXEC_ALLOWLIST_UNAVAILABLE",
      "The call asks for security=allowlist, and this session has no list of allowed commands, so nothing is on it.",
    );
  if (ask === "always")
    throw commandToolError(
      "EXEC_APPROVAL_UNAVAILABLE",
      "The call asks for approval first (ask=always), and no policy here puts single commands before anybody.",
    );
}
