import type { JournalEntry, JournalStore } from "../../src/changes/journal/journal.ts";
import {
  decodeHeader,
  decodeRecord,
  encodeMark,
  encodeRecord,
} from "../../src/changes/journal/record-codec.ts";
import { fileToolError } from "../../src/errors.ts";

/** A journal in memory that keeps records as they would be on disk. */
export function createMemoryJournal(): JournalStore & { readonly size: number } {
  const records = new Map<string, { bytes: Buffer; state: JournalEntry["state"] }>();
  const kept = (id: string) => {
    const record = records.get(id);
    if (record === undefined) throw fileToolError("JOURNAL_FAILED", `There is no record of ${id}.`);
    return record;
  };
  return {
    get size() {
      return records.size;
    },
    async begin(record) {
      if (records.has(record.id)) throw fileToolError("JOURNAL_FAILED", `${record.id} was begun before.`);
      const bytes = Buffer.concat(encodeRecord(record, { pid: 0, started: 0 }));
      records.set(record.id, { bytes, state: "running" });
    },
    mark(id, mark) {
      const record = kept(id);
      record.bytes = Buffer.concat([record.bytes, Buffer.from(encodeMark(mark))]);
    },
    commit: async (id) => void (kept(id).state = "committed"),
    fail: async (id) => void (kept(id).state = "failed"),
    load: async (id) => decodeRecord(records.get(id)?.bytes ?? Buffer.alloc(0))?.record,
    async list({ unfinished = false } = {}) {
      const entries: JournalEntry[] = [];
      for (const { bytes, state } of records.values()) {
        const header = decodeHeader(bytes);
        if (header === undefined || header === "longer" || (unfinished && state !== "running")) continue;
        const { record, paths, size } = header;
        const { folders: _folders, ...known } = record;
        entries.push({ ...known, state, paths, size });
      }
      return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
    remove: async (id) => void records.delete(id),
  };
}
