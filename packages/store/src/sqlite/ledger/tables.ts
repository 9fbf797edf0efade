import type { MigrationStep } from "../database/migrate.ts";
import { ODD } from "./kinds.ts";

/**
 * A call is one row, whose number says its run and its place there (`numbers.ts`): calls of a run lie together and in
 * order, and no index is needed to find them. Each index costs each call; there is one left ({@link TIMES}), along the time, and a
 * call that ends well is not in it. Of a run, `touched` is the number up to which the paths of its calls
 * were noted, and `trimmed` the one up to which calls were forgotten.
 */
export const LEDGER_TABLES: MigrationStep = {
  name: "ledger",
  sql: `
    CREATE TABLE holders (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      process TEXT NOT NULL,
      renewed REAL NOT NULL
    ) STRICT;

    CREATE TABLE runs (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      run_id TEXT NOT NULL UNIQUE,
      agent TEXT NOT NULL,
      session_key TEXT NOT NULL,
      opening TEXT NOT NULL,
      opened_at INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      holder INTEGER,
      since INTEGER,
      closed_at INTEGER,
      touched INTEGER NOT NULL DEFAULT 0,
      trimmed INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX runs_of_session ON runs (session_key, number);
    CREATE INDEX runs_held ON runs (holder) WHERE holder IS NOT NULL;

    CREATE TABLE tools (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      facts TEXT NOT NULL,
      UNIQUE (name, facts)
    ) STRICT;

    CREATE TABLE calls (
      number INTEGER PRIMARY KEY,
      kind INTEGER NOT NULL,
      tool INTEGER NOT NULL,
      created INTEGER NOT NULL,
      id TEXT NOT NULL,
      past TEXT NOT NULL,
      more TEXT NOT NULL
    ) STRICT;
    CREATE INDEX by_time ON calls (created, tool);
    CREATE INDEX odd_by_time ON calls (created, kind, tool) WHERE ${ODD};

    CREATE TABLE late (
      run INTEGER NOT NULL,
      record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX late_of_run ON late (run);

    CREATE TABLE paths (
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE touched (
      path INTEGER NOT NULL,
      number INTEGER NOT NULL,
      PRIMARY KEY (path, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX touched_by ON touched (number);
  `,
};

/** Along the time, beside the work: an index costs a call a page more, which is a seventh of what a call costs. */
export const TIMES: MigrationStep = {
  name: "times",
  sql: `
    CREATE TABLE timed (
      created INTEGER NOT NULL,
      number INTEGER NOT NULL,
      tool INTEGER NOT NULL,
      PRIMARY KEY (created, number)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO timed SELECT created, number, tool FROM calls ORDER BY created, number;
    DROP INDEX by_time;
  `,
};
