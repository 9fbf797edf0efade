import type { ProcessInfo } from "@haft/core";

/** Stores the processes of one session at their start, end and release, without output, so that a restarted host still knows them. */
export interface ProcessRecords {
  load(): Promise<ProcessInfo[]>;
  put(info: ProcessInfo): Promise<void>;
  remove(id: string): Promise<void>;
}

export function createMemoryRecords(): ProcessRecords {
  const records = new Map<string, ProcessInfo>();
  return {
    load: async () => [...records.values()].map((info) => structuredClone(info)),
    put: async (info) => void records.set(info.id, structuredClone(info)),
    remove: async (id) => void records.delete(id),
  };
}
