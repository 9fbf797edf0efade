import type { DatabaseSync } from "node:sqlite";

/** Whether a transaction is open that whoever began it could not end. */
export function inTransaction(db: DatabaseSync): boolean {
  try {
    db.exec("BEGIN");
    db.exec("ROLLBACK");
    return false;
  } catch {
    return true;
  }
}
