import { MAX_PROCESSES } from "../../defaults.ts";
import type { KeptProcess, ProcessStore } from "../../state-store.ts";
import type { Database } from "../database/database.ts";

export function processRows(db: Database): ProcessStore {
  return {
    of: (runId) =>
      db
        .all("SELECT kept FROM processes WHERE run_id = ? ORDER BY number", runId)
        .map((row) => JSON.parse((row as { kept: string }).kept) as KeptProcess),
    put(runId, kept) {
      db.write(() => {
        const { id } = kept.info;
        const text = JSON.stringify(kept);
        if (db.run("UPDATE processes SET kept = ? WHERE run_id = ? AND id = ?", text, runId, id) > 0) return;
        db.run("INSERT INTO processes (run_id, id, kept) VALUES (?, ?, ?)", runId, id, text);
        db.run(
          `DELETE FROM processes WHERE run_id = ? AND number <= (
            SELECT number FROM processes WHERE run_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?)`,
          runId,
          runId,
          MAX_PROCESSES,
        );
      });
    },
    remove: (runId, id) => void db.run("DELETE FROM processes WHERE run_id = ? AND id = ?", runId, id),
  };
}
