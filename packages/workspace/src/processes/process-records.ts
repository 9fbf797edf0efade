import type { ProcessInfo } from "@haft/core";

/**
 * Storage for the processes of one session, so that a restarted host still knows them. A process is stored at its start, at its
 * end and at its release, without its output.
 *
 * @example
 * ```ts
 * import type { ProcessInfo } from "@haft/core";
 * import { createHostProcesses, createHostWorkspace, type ProcessRecords } from "@haft/workspace";
 * const known = new Map<string, ProcessInfo>();
 * const records: ProcessRecords = {
 *   load: async () => [...known.values()],
 *   put: async (info) => void known.set(info.id, info),
 *   remove: async (id) => void known.delete(id),
 * };
 * const processes = createHostProcesses({ workspace: createHostWorkspace({ root: "/srv/project" }), records });
 * ```
 */
export interface ProcessRecords {
  /** Returns all stored processes. */
  load(): Promise<ProcessInfo[]>;
  /** Stores a process. It replaces the record with the same id. */
  put(info: ProcessInfo): Promise<void>;
  /** Removes a process, if it is stored. */
  remove(id: string): Promise<void>;
}

/**
 * Creates records in memory: they end with this process.
 *
 * @example
 * ```ts run
 * import { createMemoryRecords } from "@haft/workspace";
 * const records = createMemoryRecords();
 * const stored = await records.load(); // => []
 * ```
 */
export function createMemoryRecords(): ProcessRecords {
  const records = new Map<string, ProcessInfo>();
  return {
    load: async () => [...records.values()].map((info) => structuredClone(info)),
    put: async (info) => void records.set(info.id, structuredClone(info)),
    remove: async (id) => void records.delete(id),
  };
}
