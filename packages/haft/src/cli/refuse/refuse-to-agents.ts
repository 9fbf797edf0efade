import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { namedStateFolder } from "../../boundary/named-state-folder.ts";
import { hostError } from "../../errors.ts";
import { chainAbove } from "../../guard/clients/client-process.ts";
import { clientsFolder, guardedClients, isStill } from "../../guard/clients/client-records.ts";
import { lookAtProcess } from "../../guard/clients/look-at-process.ts";
import { sessionAbove } from "../../guard/clients/session-above.ts";
import { findTerminal } from "../approvals/find-terminal.ts";

/** Variables by which agents mark the commands that they run. */
const MARKS = ["CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE"];

/**
 * Refuses a command that a command of a session of Haft started, going by the processes above it.
 *
 * @param what the end of a sentence
 * @throws HaftError `INSIDE_SESSION`
 */
export function refuseBelowSession(what: string): void {
  const why = sessionAbove(lookAtProcess);
  if (why === undefined) return;
  throw hostError(
    "INSIDE_SESSION",
    `This command runs in a session of Haft (${why}), and would ${what}. That is decided by the user, not by whoever asks.`,
  );
}

/** State folders in which guarded agents may be written down, beside those that this command was told of. */
function placesOf(told: readonly (string | undefined)[]): string[] {
  const { value, path } = namedStateFolder();
  const folders = [...told, isAbsolute(value) ? path : undefined, ofAccount()];
  return [...new Set(folders.filter((folder) => folder !== undefined))].map(clientsFolder);
}

/** Whatever variables say. */
function ofAccount(): string | undefined {
  try {
    return join(userInfo().homedir, ".local", "state", "haft");
  } catch {
    return undefined;
  }
}

/**
 * Tells a command that an agent started that this is not its to do, going by the processes above it: hooks of the guard write down
 * which process asked them. A fence and no boundary: what runs as the same user can leave its parents behind.
 *
 * @param what the end of a sentence
 * @param states further state folders to look into
 * @throws HaftError `INSIDE_SESSION`
 */
export function refuseBelowClient(what: string, states: readonly (string | undefined)[] = []): void {
  const clients = placesOf(states).flatMap(guardedClients);
  if (clients.length === 0) return;
  for (const { pid, started } of chainAbove(process.ppid, lookAtProcess)) {
    const client = clients.find((each) => each.pid === pid && each.started === started);
    if (client !== undefined)
      throw hostError(
        "INSIDE_SESSION",
        `This command was started by an agent that is guarded (${client.agent}, process ${pid}), and would ${what}. That is decided by the user, not by whoever asks.`,
      );
  }
}

/**
 * The same by the variables that agents set for their commands. A courtesy: they can be taken away.
 *
 * @throws HaftError `INSIDE_SESSION`
 */
function refuseMarked(what: string): void {
  const mark = MARKS.find((name) => (process.env[name] ?? "") !== "");
  if (mark === undefined) return;
  throw hostError(
    "INSIDE_SESSION",
    `This command was started by an agent (${mark} is set), and would ${what}. That is decided by the user, not by whoever asks.`,
  );
}

/**
 * While a guarded agent runs, a command without a terminal may be one that it started and let go, so that nothing above it tells.
 *
 * @param how what a person does instead, as a sentence
 * @throws HaftError `GUARD_NO_TERMINAL`
 */
export function refuseWithoutTerminal(
  what: string,
  how: string,
  states: readonly (string | undefined)[] = [],
): void {
  const running = placesOf(states)
    .flatMap(guardedClients)
    .find((client) => isStill(client, lookAtProcess));
  if (running === undefined || findTerminal() !== undefined) return;
  throw hostError(
    "GUARD_NO_TERMINAL",
    `This command has no terminal, and would ${what} while an agent that is guarded runs (${running.agent}, process ${running.pid}): who started it cannot be told.`,
    { fix: how },
  );
}

/**
 * All of these: for commands that loosen the guard itself, so that no script from before there was one calls them.
 *
 * @throws HaftError `INSIDE_SESSION`, `GUARD_NO_TERMINAL`
 */
export function refuseToAgents(what: string, states: readonly string[] = []): void {
  refuseBelowSession(what);
  refuseMarked(what);
  refuseBelowClient(what, states);
  refuseWithoutTerminal(what, "Run it in a terminal, or when that agent has ended.", states);
}
