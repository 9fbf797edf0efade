import type { MigrationStep } from "../database/migrate.ts";

/** A command is one row. It goes with its run, whoever removes that. */
export const PROCESS_TABLES: MigrationStep = {
  name: "processes",
  sql: `
    CREATE TABLE processes (
      number INTEGER PRIMARY KEY,
      run_id TEXT NOT NULL,
      id TEXT NOT NULL,
      kept TEXT NOT NULL,
      UNIQUE (run_id, id)
    ) STRICT;
    CREATE TRIGGER processes_of_run AFTER DELETE ON runs BEGIN
      DELETE FROM processes WHERE run_id = OLD.run_id;
    END;
  `,
};
