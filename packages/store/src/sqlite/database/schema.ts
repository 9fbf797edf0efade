import type { DatabaseSync } from "node:sqlite";
import { storeError } from "../../errors.ts";
import { EXCEPTIONAL_KINDS_SQL } from "../ledger/kinds.ts";

/** Increase it with each schema change, and migrate previous files. */
export const SCHEMA_VERSION = 1;

/** "Haft" in the file's header. */
const APPLICATION = 0x48616674;

const SCHEMA = `
  -- Which file it is, how many transactions are counted, and what was found to be missing.
  CREATE TABLE store (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    id INTEGER NOT NULL,
    commits INTEGER NOT NULL
  ) STRICT;
  INSERT INTO store VALUES (1, abs(random() % (1 << 48)) + 1, 0);

  CREATE TABLE incidents (
    found_at INTEGER NOT NULL,
    what TEXT NOT NULL
  ) STRICT;

  -- calls.number holds the run and the place in it (numbers.ts), so the calls of a run need no index. runs.touched is the
  -- number up to which times and paths of calls are noted, runs.trimmed the number up to which calls were forgotten.
  -- Times are in timed, written beside the work: an index of calls would cost each call a seventh more.
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
  CREATE INDEX odd_by_time ON calls (created, kind, tool) WHERE ${EXCEPTIONAL_KINDS_SQL};

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

  CREATE TABLE timed (
    created INTEGER NOT NULL,
    number INTEGER NOT NULL,
    tool INTEGER NOT NULL,
    PRIMARY KEY (created, number)
  ) STRICT, WITHOUT ROWID;

  -- requests.record is whole until the request is settled. A revoked grant leaves its id, so that it does not come back.
  CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    session_key TEXT NOT NULL,
    exact_key TEXT,
    record TEXT NOT NULL,
    secret TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'decided', 'withdrawn', 'expired')),
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    asker TEXT,
    answer TEXT,
    taken INTEGER NOT NULL DEFAULT 0,
    settled_at INTEGER
  ) STRICT;
  CREATE INDEX requests_by_state ON requests (state, expires_at);
  CREATE INDEX requests_of_call ON requests (agent, session_key, exact_key) WHERE state = 'answered';

  CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    session_key TEXT NOT NULL,
    record TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    used INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER,
    revoked_at INTEGER
  ) STRICT;
  CREATE INDEX grants_of_scope ON grants (agent, session_key) WHERE revoked_at IS NULL;

  -- The commands of a run go with it.
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

  -- Who was notified of which request.
  CREATE TABLE notices (
    approval_id TEXT NOT NULL,
    target TEXT NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    problem TEXT,
    PRIMARY KEY (approval_id, target)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX notices_by_time ON notices (at);
`;

/**
 * Creates the tables of a new file in one transaction, by the first process.
 *
 * @returns whether the file was new
 * @throws HaftError `STORE_TOO_NEW`; `STORE_UNUSABLE` for a database of another program
 */
export function ensureSchema(db: DatabaseSync, path: string): boolean {
  if (readVersion(db, path) === SCHEMA_VERSION) return false;
  db.exec("BEGIN IMMEDIATE");
  try {
    if (readVersion(db, path) === 0)
      db.exec(`${SCHEMA}; PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.exec("COMMIT");
  } catch (thrown) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // A full disk already rolled back.
    }
    throw thrown;
  }
  return true;
}

function readVersion(db: DatabaseSync, path: string): number {
  const version = pragma(db, "user_version");
  const isEmpty = () => db.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
  if (pragma(db, "application_id") !== APPLICATION && !isEmpty())
    throw storeError("STORE_UNUSABLE", `${path} is a database of another program.`);
  if (version > SCHEMA_VERSION) {
    const message = `${path} has schema version ${version}; this version of Haft knows versions up to ${SCHEMA_VERSION}.`;
    throw storeError("STORE_TOO_NEW", message);
  }
  return version;
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0]);
}
