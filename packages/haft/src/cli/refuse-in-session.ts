import { refuseBelowClient, refuseBelowSession, type SessionCode } from "./refuse/refuse-to-agents.ts";

/**
 * Refuses a command that decides what agents may do where a command of a session, or a guarded agent, started it. It goes by the
 * processes above it, so that no variable, no other file of the program and no process that was let go changes that. It is a fence:
 * commands without containment have the user's rights, and can change what Haft keeps by other programs.
 *
 * @param what the end of a sentence: `add plugins`
 * @param states further state folders, in which guarded agents may be written down
 * @throws HaftError the code, below a session; `GUARD_OF_SESSION` below a guarded agent
 */
export function refuseInSession(
  what: string,
  code: SessionCode = "PLUGINS_OF_SESSION",
  states: readonly (string | undefined)[] = [],
): void {
  refuseBelowSession(what, code);
  refuseBelowClient(what, states);
}

/**
 * The same of a page on which people see what agents do, and decide about it, however it is opened.
 *
 * @throws HaftError `INSPECT_OF_SESSION`, `GUARD_OF_SESSION`
 */
export function refusePageInSession(): void {
  refuseInSession("show what agents do, and decide about it", "INSPECT_OF_SESSION");
}
