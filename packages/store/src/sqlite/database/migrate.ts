import type { DatabaseSync } from "node:sqlite";
import { storeError } from "../../errors.ts";

/** One step of the form of the file: statements that make tables, or change them. The order of steps never changes. */
export interface MigrationStep {
  readonly name: string;
  readonly sql: string;
}

/** "Haft", in the header of the file: whose it is. */
const APPLICATION = 0x48616674;

/**
 * Brings a file to the form of this version, one step in one transaction each: of several processes that open it at
 * once one does each step, and a killed one leaves a form that the next goes on from.
 *
 * Answers whether there was anything to do.
 *
 * @throws HaftError `STORE_TOO_NEW`, `STORE_UNSAFE` when it is another program's
 */
export function migrate(db: DatabaseSync, path: string, steps: readonly MigrationStep[]): boolean {
  if (requireOurs(db, path, steps) === steps.length) return false;
  for (let done = -1; done < steps.length;) {
    db.exec("BEGIN IMMEDIATE");
    try {
      // Under the lock: somebody else may have done it meanwhile.
      done = requireOurs(db, path, steps);
      const step = steps[done];
      if (step !== undefined) {
        db.exec(step.sql);
        done += 1;
        db.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${done}`);
      }
      db.exec("COMMIT");
    } catch (thrown) {
      try {
        db.exec("ROLLBACK");
      } catch {
        // A full disk has rolled it back already; what is to be told is that.
      }
      throw thrown;
    }
  }
  return true;
}

function requireOurs(db: DatabaseSync, path: string, steps: readonly MigrationStep[]): number {
  const version = pragma(db, "user_version");
  const application = pragma(db, "application_id");
  const isEmpty = () => db.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
  if (application !== APPLICATION && !isEmpty()) {
    throw storeError("STORE_UNSAFE", `${path} is a database of another program.`);
  }
  if (version > steps.length) {
    const message = `${path} has form ${version}, and this version of Haft knows forms up to ${steps.length}.`;
    throw storeError("STORE_TOO_NEW", message);
  }
  return version;
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0]);
}
