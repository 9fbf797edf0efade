import type { CommandSubject, Place } from "@haft/plugin-sdk";
import { commandToolError } from "../errors.ts";

/** Where a call wants its command to run. */
export interface HostWishes {
  host?: "auto" | "sandbox" | "gateway" | "node" | undefined;
  node?: string | undefined;
}

/** What a call asks of the policy: to be stricter, or to be elevated. */
export type PolicyWishes = Pick<CommandSubject, "elevated" | "security" | "ask">;

/** What a call asks of a view that commands are contained in: to leave it, or to reach more from it. */
export interface LeaveWishes {
  outside?: boolean | undefined;
  reason?: string | undefined;
  network?: readonly string[] | undefined;
}

/** Longest reason that is shown, in characters. */
const MOST_REASON = 300;

/**
 * Why the call wants to leave, on one line; `undefined` when it does not.
 *
 * @throws HaftError `EXEC_REASON_MISSING`
 */
export function reasonToLeave({ outside, reason = "", network = [] }: LeaveWishes): string | undefined {
  if (outside !== true) return undefined;
  if (network.length > 0)
    throw commandToolError(
      "EXEC_HOST_INVALID",
      "outside=true has the network of the host, so network means nothing beside it.",
    );
  const line = reason.replaceAll(/\s+/g, " ").trim();
  if (line === "")
    throw commandToolError("EXEC_REASON_MISSING", "outside=true needs a reason, and there is none.");
  return line.length > MOST_REASON ? `${line.slice(0, MOST_REASON)}…` : line;
}

/** A name or an address, with a port where one is named. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
/** This machine, by its names and addresses: there is no way to it. Words of policies, which are no hosts. */
const NO_HOST = /^(?:localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|none|full)(?::\d+)?$/;

/**
 * Host names in lower case, each once; with a port where one is named.
 *
 * @throws HaftError `EXEC_HOST_INVALID` for what is none, or can never be reached
 */
export function wantedHosts({ network = [] }: LeaveWishes): readonly string[] {
  const hosts = [...new Set(network.map((host) => host.trim().toLowerCase()))];
  const wrong = hosts.find((host) => !HOST.test(host) || NO_HOST.test(host));
  if (wrong !== undefined)
    throw commandToolError(
      "EXEC_HOST_INVALID",
      `network names ${JSON.stringify(wrong)}, which is no host that could be reached.`,
    );
  return hosts;
}

/** The names `host` has for the places of workspaces. */
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
export function refuseHost({ host, node }: HostWishes, place: Place): void {
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
  if (node !== undefined && node.trim() !== "") {
    throw commandToolError(
      "EXEC_HOST_UNAVAILABLE",
      `This session runs commands on ${here}; no node can be chosen.`,
      {
        fix: "Leave out node if the command is right here too.",
        details: { requested: `node ${node}`, configured: here },
      },
    );
  }
}

/** Is there a wish among them that has to be answered? */
export function asksPolicy({
  elevated,
  security,
  ask,
  outside,
  network,
}: PolicyWishes & LeaveWishes): boolean {
  if (outside === true || (network ?? []).length > 0) return true;
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
  if (isContained && (leave.outside === true || wantedHosts(leave).length > 0))
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
