import type { JournalEntry } from "../../journal/journal.ts";

/** Without the changes that were taken back by `undo`, and what took them back: together they did nothing. */
export function effective(entries: readonly JournalEntry[]): JournalEntry[] {
  const gone = new Set<string>();
  // The newest first: what took something back may have been taken back itself.
  for (const { id, undoes } of entries.toReversed()) {
    if (undoes === undefined || gone.has(id)) continue;
    gone.add(id);
    gone.add(undoes);
  }
  return entries.filter(({ id }) => !gone.has(id));
}
