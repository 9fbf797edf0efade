import type { DatabaseSync } from "node:sqlite";

export function inTransaction(db: DatabaseSync): boolean {
  try {
    db.exec("BEGIN");
    db.exec("ROLLBACK");
    return false;
  } catch {
    return true;
  }
}
