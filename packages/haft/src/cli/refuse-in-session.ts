import { resolveStateFolder } from "@haft/config/internal/home-folder";
import {
  iterateAncestors,
  clientsFolder,
  listGuardedClients,
  isClientRunning,
  findParentSession,
  findProcess,
} from "@haft/guard/internal/clients";
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { commandError } from "../errors.ts";
import { findTerminal } from "./approvals/find-terminal.ts";

/** Agents set these for commands. */
const MARKS = ["CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE"];

type States = readonly (string | undefined)[];

/**
 * Rejects decisions about agents below a session or guarded agent, which hooks record. This is not a security
 * boundary: uncontained commands have the user's rights, can detach and can change records.
 *
 * @param what a sentence's end: `add plugins`
 * @param states more folders with records of guarded agents
 * @throws HaftError `INSIDE_SESSION`
 */
export function refuseInSession(what: string, states: States = []): void {
  const why = findParentSession(findProcess);
  if (why !== undefined) refuse(what, `runs in a session of Haft (${why})`);
  const clients = clientsIn(states);
  if (clients.length === 0) return;
  for (const { pid, started } of iterateAncestors(process.ppid, findProcess)) {
    const client = clients.find((each) => each.pid === pid && each.started === started);
    if (client !== undefined)
      refuse(what, `was started by a guarded agent (${client.agent}, process ${pid})`);
  }
}

export function refusePageInSession(): void {
  refuseInSession("show calls of agents, and decide them");
}

/**
 * A guarded agent may have detached the command from its parents.
 *
 * @param how the fix, as a sentence
 * @throws HaftError `GUARD_NO_TERMINAL`
 */
export function refuseWithoutTerminal(what: string, how: string, states: States = []): void {
  const running = clientsIn(states).find((client) => isClientRunning(client, findProcess));
  if (running === undefined || findTerminal() !== undefined) return;
  throw commandError(
    "GUARD_NO_TERMINAL",
    `This command has no terminal, and would ${what} while a guarded agent runs (${running.agent}, process ${running.pid}): Haft cannot tell who started it.`,
    { fix: how },
  );
}

/** For commands that loosen the guard: also checks agents' variables, which a command can unset. */
export function refuseToAgents(what: string, states: readonly string[] = []): void {
  const mark = MARKS.find((name) => (process.env[name] ?? "") !== "");
  refuseInSession(what, states);
  if (mark !== undefined) refuse(what, `was started by an agent (${mark} is set)`);
  refuseWithoutTerminal(what, "Run it in a terminal, or when that agent has ended.", states);
}

function refuse(what: string, why: string): never {
  throw commandError("INSIDE_SESSION", `This command ${why}, and would ${what}. Only the user decides that.`);
}

/** Variables cannot change the account's folder. */
function clientsIn(states: States): ReturnType<typeof listGuardedClients> {
  const { value, path } = resolveStateFolder();
  const folders = [...states, isAbsolute(value) ? path : undefined, ofAccount()];
  return [...new Set(folders.filter((folder) => folder !== undefined))]
    .map(clientsFolder)
    .flatMap(listGuardedClients);
}

function ofAccount(): string | undefined {
  try {
    return join(userInfo().homedir, ".local", "state", "haft");
  } catch {
    return undefined;
  }
}
