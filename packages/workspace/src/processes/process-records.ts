import type { ProcessInfo } from "@haft/core";

/**
 * Where the processes of one session are written down, so that a host that was restarted still knows them. Written
 * at start, at the end and at release; the output is not in it.
 */
export interface ProcessRecords {
  /** All there are. */
  load(): Promise<ProcessInfo[]>;
  /** Writes one down, instead of what was there of its id. */
  put(info: ProcessInfo): Promise<void>;
  /** Forgets one; nothing happens where it is not there. */
  remove(id: string): Promise<void>;
}

/** Records that last as long as this program: what a store does, without one. */
export function createMemoryRecords(): ProcessRecords {
  const records = new Map<string, ProcessInfo>();
  return {
    load: async () => [...records.values()].map((info) => structuredClone(info)),
    put: async (info) => void records.set(info.id, structuredClone(info)),
    remove: async (id) => void records.delete(id),
  };
}
