import { readRegularFile } from "@haft/system";
import { makeFolder } from "@haft/utils";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AncestorProcess,
  findClientProcess,
  type FindProcess,
  findProcessInProc,
} from "./client-process.ts";

export interface GuardedClient {
  pid: number;
  started: number;
  agent: string;
}

const LOOKED_AT_MS = 60_000;

/**
 * Returns the folder with records of guarded agents.
 *
 * @example
 * ```ts run
 * import { clientsFolder } from "@haft/guard/internal/clients";
 * clientsFolder("/var/lib/agent"); // => "/var/lib/agent/guard/clients"
 * ```
 */
export function clientsFolder(stateFolder: string): string {
  return join(stateFolder, "guard", "clients");
}

/**
 * Records the agent that started this hook, so that Haft can refuse decisions below it. Write errors must not affect the decision.
 *
 * @param loadFind Used without `/proc`.
 */
export async function recordClient(
  folder: string,
  hook: { agent: string; session: string; pid: number },
  loadFind: () => Promise<FindProcess>,
): Promise<void> {
  const { agent, session, pid } = hook;
  try {
    if (existsSync("/proc/self/stat")) return note(folder, agent, findClientProcess(pid, findProcessInProc));
    // Avoids a search for each call.
    const stamp = join(folder, `asked-${session.replaceAll(/[^\w-]/g, "_").slice(0, 80)}`);
    const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Math.abs(Date.now() - last) < LOOKED_AT_MS) return;
    note(folder, agent, findClientProcess(pid, await loadFind()));
    writeFileSync(stamp, "", { mode: 0o600 });
  } catch {
    // Ignored.
  }
}

function note(folder: string, agent: string, client: AncestorProcess | undefined): void {
  if (client === undefined) return;
  const file = join(folder, `${client.pid}-${client.started}`);
  if (existsSync(file)) return;
  makeFolder(folder, 0o700);
  if (existsSync("/proc/self/stat"))
    for (const old of listGuardedClients(folder))
      if (!isClientRunning(old, findProcessInProc))
        rmSync(join(folder, `${old.pid}-${old.started}`), { force: true });
  writeFileSync(file, agent, { mode: 0o600 });
}

/**
 * Returns all recorded processes of agents, including ended processes.
 *
 * @example
 * ```ts run
 * import { listGuardedClients } from "@haft/guard/internal/clients";
 * listGuardedClients("no-such-folder"); // => []
 * ```
 */
export function listGuardedClients(folder: string): GuardedClient[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const [, pid, started] = /^(\d+)-(\d+)$/.exec(name) ?? [];
    if (pid === undefined) return [];
    let agent = "";
    try {
      agent = readRegularFile(join(folder, name)).toString("utf8").slice(0, 40);
    } catch {
      // Another hook is writing the file.
    }
    return [{ pid: Number(pid), started: Number(started), agent }];
  });
}

/**
 * Returns whether the process of a guarded agent still runs.
 *
 * @example
 * ```ts
 * import { clientsFolder, findProcess, isClientRunning, listGuardedClients } from "@haft/guard/internal/clients";
 * const clients = listGuardedClients(clientsFolder("/var/lib/agent"));
 * const running = clients.filter((client) => isClientRunning(client, findProcess));
 * ```
 */
export function isClientRunning({ pid, started }: GuardedClient, findProcess: FindProcess): boolean {
  const seen = findProcess(pid);
  return seen !== undefined && !seen.zombie && seen.started === started;
}
