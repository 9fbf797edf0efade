import type { Place } from "@haft/core";
import { HaftError } from "@haft/plugin-sdk";

/** What a call may ask of the way its command is run. Every wish can only make it stricter. */
export interface ExecWishes {
  host?: "auto" | "sandbox" | "gateway" | "node" | undefined;
  node?: string | undefined;
  elevated?: boolean | undefined;
  security?: "deny" | "allowlist" | "full" | undefined;
  ask?: "off" | "on-miss" | "always" | undefined;
}

/** The names `host` has for the places of workspaces. */
const HOST_OF: Readonly<Record<Place, NonNullable<ExecWishes["host"]>>> = {
  host: "gateway",
  sandbox: "sandbox",
  node: "node",
};

/**
 * Refuses what a call asks for and this session does not have. A wish is never ignored: a command that was to run in a
 * sandbox, or only after somebody was asked, does not run anywhere else or unasked.
 *
 * @throws HaftError `EXEC_HOST_UNAVAILABLE`, `EXEC_ELEVATED_UNAVAILABLE`, `EXEC_DENIED`, `EXEC_ALLOWLIST_UNAVAILABLE`,
 * `EXEC_APPROVAL_UNAVAILABLE`
 */
export function refuseRequest(wishes: ExecWishes, place: Place): void {
  const host = HOST_OF[place];
  if (wishes.elevated === true) {
    throw refusal(
      "EXEC_ELEVATED_UNAVAILABLE",
      `elevated is not available right now: this session runs commands on ${host}, as they are.`,
      {
        fix: "Call again without elevated.",
        details: { host },
      },
    );
  }
  if (wishes.host !== undefined && wishes.host !== "auto" && wishes.host !== host) {
    throw refusal("EXEC_HOST_UNAVAILABLE", `This session runs commands on ${host}, not on ${wishes.host}.`, {
      fix: `Leave out host (or set it to auto or ${host}) if the command is right there too.`,
      details: { requested: wishes.host, configured: host },
    });
  }
  if (wishes.node !== undefined && wishes.node.trim() !== "") {
    throw refusal("EXEC_HOST_UNAVAILABLE", `This session runs commands on ${host}; no node can be chosen.`, {
      fix: "Leave out node if the command is right here too.",
      details: { requested: `node ${wishes.node}`, configured: host },
    });
  }
  if (wishes.security === "deny") {
    throw refusal("EXEC_DENIED", "The call itself says security=deny, so the command was not run.", {
      fix: "Leave out security to run what policy allows.",
    });
  }
  if (wishes.security === "allowlist") {
    throw refusal(
      "EXEC_ALLOWLIST_UNAVAILABLE",
      "The call asks for security=allowlist, and this session has no list of allowed commands, so nothing is on it.",
      { fix: "Leave out security: policy has already decided about this call." },
    );
  }
  if (wishes.ask === "always") {
    throw refusal(
      "EXEC_APPROVAL_UNAVAILABLE",
      "The call asks for approval first (ask=always), and a single command cannot be put before anybody here.",
      { fix: "Ask the user yourself, then call again without ask; or let policy ask for every command." },
    );
  }
}

function refusal(
  code: string,
  message: string,
  more: { fix: string; details?: Record<string, unknown> },
): HaftError {
  return new HaftError(code, message, { category: "policy", receipt: "none", ...more });
}
