import type { JournalStore } from "../../src/changes/journal/journal.ts";
import { decodeRecord, encodeRecord } from "../../src/changes/journal/record-codec.ts";

/** A journal in memory that keeps records as they would be on disk. */
export function createMemoryJournal(): JournalStore & { readonly size: number } {
  const records = new Map<string, Buffer>();
  return {
    get size() {
      return records.size;
    },
    begin: async (record) =>
      void records.set(record.id, Buffer.concat(encodeRecord(record, { pid: 0, started: 0 }))),
    mark: () => undefined,
    commit: async () => undefined,
    fail: async () => undefined,
    load: async (id) => decodeRecord(records.get(id) ?? Buffer.alloc(0))?.record,
    list: async () => [],
    remove: async (id) => void records.delete(id),
  };
}
