import type { Processes, ProcessInfo } from "@haft/core";
import { mapProcesses } from "@haft/core/internal";
import { hostError } from "../errors.ts";

/** Time between TERM and KILL for what a session leaves running when it ends, in milliseconds. */
const END_GRACE_MS = 1_000;

export interface OwnProcesses extends Processes {
  end(): Promise<void>;
}

/**
 * The part of a sandbox's processes that belongs to one of its sessions: those of the others do not exist for it.
 * Whose a process is stands in the id it was started with, so that a detached sandbox knows it after a restart, too.
 *
 * @param shared asked for each time: it is made by the first command, and made again when the sandbox was lost
 */
export function ownProcesses(shared: () => Processes, owner: string): OwnProcesses {
  const prefix = `${owner} `;
  const isMine = (info: ProcessInfo | undefined) => info?.callerId.startsWith(prefix) ?? false;
  const shown = (info: ProcessInfo) => ({ ...info, callerId: info.callerId.slice(prefix.length) });
  /** Ids are never given twice, so what is known stays true. */
  const mine = new Set<string>();
  const require = async (id: string): Promise<Processes> => {
    const processes = shared();
    if (!mine.has(id)) {
      if (!isMine(await processes.info(id)))
        throw hostError("PROCESS_NOT_FOUND", `There is no process ${JSON.stringify(id)} in this session.`);
      mine.add(id);
    }
    return processes;
  };
  const list = async () => (await shared().list()).filter(isMine);
  const mapped = mapProcesses((id) => (id === undefined ? shared() : require(id)));
  return {
    ...mapped,
    async start(callerId, spec, options) {
      const info = await shared().start(prefix + callerId, spec, options);
      mine.add(info.id);
      return shown(info);
    },
    async info(id) {
      const info = await shared().info(id);
      return info !== undefined && isMine(info) ? shown(info) : undefined;
    },
    list: async () => (await list()).map(shown),
    kill: async (id, options) => shown(await mapped.kill(id, options)),
    wait: async (id, options) => shown(await mapped.wait(id, options)),
    async release(id) {
      await mapped.release(id);
      mine.delete(id);
    },
    async end() {
      if (mine.size === 0) return;
      const processes = shared();
      await Promise.all(
        (await list()).map(async ({ id }) => {
          await processes.kill(id, { graceMs: END_GRACE_MS });
          await processes.release(id);
        }),
      );
      mine.clear();
    },
  };
}
