import type { ProcessInfo } from "@haft/core";

/**
 * Stores the processes of one session, so that a restarted host still knows them. A process is stored at its start, at its end and at its
 * release, without its output.
 */
export interface ProcessRecords {
  /** Returns all stored processes. */
  load(): Promise<ProcessInfo[]>;
  /** Stores a process, and replaces a record with the same id. */
  put(info: ProcessInfo): Promise<void>;
  /** Removes a process, if it is stored. */
  remove(id: string): Promise<void>;
}

/** Creates records in memory, which end with this process. */
export function createMemoryRecords(): ProcessRecords {
  const records = new Map<string, ProcessInfo>();
  return {
    load: async () => [...records.values()].map((info) => structuredClone(info)),
    put: async (info) => void records.set(info.id, structuredClone(info)),
    remove: async (id) => void records.delete(id),
  };
}
