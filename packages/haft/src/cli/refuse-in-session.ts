import { hostError } from "../errors.ts";
import { refuseBelowClient } from "./refuse/refuse-to-agents.ts";

/**
 * Tells a command that Haft itself started for a session, or that an agent started whose hook asks Haft, that this is not its to
 * do: what an agent may call is not for it to say.
 * A courtesy and no boundary, as with approvals: what runs as the same user can take the variable away.
 *
 * @param what the end of a sentence: `add plugins`
 * @throws HaftError `PLUGINS_OF_SESSION`, `TRUST_OF_SESSION`, `LEDGER_OF_SESSION`, `MCP_OF_SESSION`, `NODES_OF_SESSION`,
 * `GUARD_OF_SESSION`, `INSPECT_OF_SESSION`
 */
export function refuseInSession(
  what: string,
  code:
    | "PLUGINS_OF_SESSION"
    | "TRUST_OF_SESSION"
    | "LEDGER_OF_SESSION"
    | "MCP_OF_SESSION"
    | "NODES_OF_SESSION"
    | "INSPECT_OF_SESSION" = "PLUGINS_OF_SESSION",
): void {
  // Every command of a session carries it, on the host, in a view and in a sandbox.
  if ((process.env["HAFT_PROCESS"] ?? "") === "") return refuseBelowClient(what);
  throw hostError(
    code,
    `This command runs in a session of Haft, and would ${what}. That is decided by the user, not by whoever asks.`,
  );
}

/**
 * The same of a page on which people see what agents do, and decide about it, however it is opened.
 *
 * @throws HaftError `INSPECT_OF_SESSION`, `GUARD_OF_SESSION`
 */
export function refusePageInSession(): void {
  refuseInSession("show what agents do, and decide about it", "INSPECT_OF_SESSION");
}
