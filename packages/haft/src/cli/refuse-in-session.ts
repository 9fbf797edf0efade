import { refuseBelowClient, refuseBelowSession } from "./refuse/refuse-to-agents.ts";

/**
 * Refuses a command that decides what agents may do where a command of a session, or a guarded agent, started it. It goes by the
 * processes above it, so that no variable, no other file of the program and no process that was let go changes that. It is a fence:
 * commands without containment have the user's rights, and can change what Haft keeps by other programs.
 *
 * @param what the end of a sentence: `add plugins`
 * @param states further state folders, in which guarded agents may be written down
 * @throws HaftError `INSIDE_SESSION`
 */
export function refuseInSession(what: string, states: readonly (string | undefined)[] = []): void {
  refuseBelowSession(what);
  refuseBelowClient(what, states);
}

/**
 * The same of a page on which people see what agents do, and decide about it, however it is opened.
 *
 * @throws HaftError `INSIDE_SESSION`
 */
export function refusePageInSession(): void {
  refuseInSession("show what agents do, and decide about it");
}
