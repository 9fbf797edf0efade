import { getErrorMessage } from "@haft/core";
import { attempt, PrivateFolder } from "@haft/system";
import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type * as Sqlite from "node:sqlite";
import { storeError } from "../../errors.ts";
import { databaseError, retryWhileBusy } from "./database-error.ts";
import { makePrivateFile } from "./make-private-file.ts";
import { RollbackCanary, type CanaryRecord } from "./rollback-canary.ts";
import { ensureSchema } from "./schema.ts";

/**
 * Names the failures that data survives. `process`: the end of any process. `full`: also a power failure; each commit waits for the disk.
 */
export type Durability = "process" | "full";

interface DatabaseOptions {
  readonly path: string;
  readonly durability: Durability;
  readonly opened?: () => void;
  readonly hasRow: (row: number) => boolean;
  readonly lost?: (what: string) => void;
}

/** Limits the wait for another process's transaction, in milliseconds. */
const BUSY_MS = 2000;
/**
 * Pages of the write-ahead file (about 3,000 calls) at which a commit writes a checkpoint, and transactions before a background checkpoint.
 * A checkpoint waits for the disk, 40 µs per call.
 */
const PAGES_OF_WAL = 10_000;
const MOVED_AFTER = 300;
/** Maximum size of an emptied write-ahead file on disk, in bytes. */
const WAL_LIMIT = 16 * 1024 * 1024;
/** The end of a call skips the check of the file for this time. */
const FRESH_MS = 1;
/** A file without tables has SQLite's first page only. */
const FIRST_PAGE = 4096;

/**
 * Manages a SQLite file, opened at its first use. A transaction runs in one synchronous turn. After an error, the next use tries again.
 */
export class Database {
  readonly path: string;
  readonly #options: DatabaseOptions;
  readonly #statements = new Map<string, StatementSync>();
  #db: DatabaseSync | undefined;
  #isToEmpty = false;
  /** Its path may be replaced or removed. */
  #file: Pick<Stats, "dev" | "ino"> | undefined;
  #seenAt = 0;
  #mark: RollbackCanary | undefined;
  #marked: CanaryRecord = { store: 0, commits: 0, row: 0 };
  #isMarked = false;
  #writing = false;
  #unmoved = 0;
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.path = options.path;
    this.#options = options;
  }

  get(sql: string, ...values: SQLInputValue[]): unknown {
    return this.#with((db) => this.#statement(db, sql).get(...values));
  }

  all(sql: string, ...values: SQLInputValue[]): unknown[] {
    return this.#with((db) => this.#statement(db, sql).all(...values));
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#with((db) => Number(this.#statement(db, sql).run(...values).changes));
  }

  exec(sql: string): void {
    this.#with((db) => db.exec(sql));
  }

  /**
   * Runs a transaction. Nested calls join the outer transaction.
   *
   * @param row number of a row that exists afterwards and reveals a loss. Default: a counter, which writes another page.
   */
  write<T>(change: () => T, row = 0): T {
    if (this.#writing) return change();
    return this.#with((db) => {
      this.#statement(db, "BEGIN IMMEDIATE").run();
      this.#writing = true;
      try {
        const result = change();
        const commits = row === 0 ? this.#count(db) : this.#marked.commits;
        this.#statement(db, "COMMIT").run();
        this.#noteCommit(commits, row);
        return result;
      } catch (thrown) {
        this.#rollBack(db);
        throw thrown;
      } finally {
        this.#writing = false;
      }
    });
  }

  /**
   * Runs one statement as a transaction. Returns the number of changed rows.
   *
   * @param row number of a row, if any row changed
   */
  writeSingle(sql: string, row: number, ...values: SQLInputValue[]): number {
    if (this.#writing) return this.run(sql, ...values);
    const isSeen = row === this.#marked.row && performance.now() - this.#seenAt < FRESH_MS;
    return this.#with((db) => {
      const changed = Number(this.#statement(db, sql).run(...values).changes);
      if (changed > 0) this.#noteCommit(this.#marked.commits, row);
      return changed;
    }, isSeen);
  }

  /** The write-ahead file may contain overwritten secrets until the next {@link checkpoint}. */
  emptyWriteAhead(): void {
    this.#isToEmpty = true;
  }

  /** Empties a large write-ahead file, without waiting for other processes. */
  checkpoint(): void {
    if (this.#isToEmpty) this.#empty();
    if (this.#unmoved < MOVED_AFTER) return;
    this.#unmoved = 0;
    this.exec("PRAGMA wal_checkpoint(PASSIVE)");
  }

  close(): void {
    if (this.#isToEmpty && this.#db !== undefined) attempt(() => this.#empty());
    this.#closed = true;
    this.#drop();
  }

  release(): void {
    this.#drop();
  }

  #empty(): void {
    this.#with((db) => {
      db.exec("PRAGMA busy_timeout = 0");
      try {
        const { busy } = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number };
        this.#isToEmpty = busy !== 0;
        if (!this.#isToEmpty) this.#unmoved = 0;
      } finally {
        db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      }
    });
  }

  #count(db: DatabaseSync): number {
    const sql = "UPDATE store SET commits = commits + 1 RETURNING commits";
    return (this.#statement(db, sql).get() as unknown as { commits: number }).commits;
  }

  #noteCommit(commits: number, row: number): void {
    this.#unmoved++;
    const marked = this.#marked;
    // The end of a call reuses the row of its start.
    if (this.#isMarked && marked.commits === commits && marked.row === row) return;
    this.#marked = { store: marked.store, commits, row };
    this.#isMarked = this.#mark?.write(this.#marked) ?? false;
  }

  #with<T>(use: (db: DatabaseSync) => T, isSeen = false): T {
    try {
      if (!isSeen) this.#requireFile();
      return use((this.#db ??= this.#open()));
    } catch (thrown) {
      throw databaseError(this.path, thrown);
    }
  }

  /** SQLite would continue to write into a removed file. A restored file is accepted. */
  #requireFile(): void {
    const file = this.#file;
    if (file === undefined || this.#writing) return;
    const there = lstatSync(this.path, { throwIfNoEntry: false });
    if (there?.ino === file.ino && there.dev === file.dev) {
      this.#seenAt = performance.now();
      return;
    }
    const what = there === undefined ? "no longer exists" : "was replaced by another file";
    throw storeError("STORE_FAILED", `${this.path} ${what}.`);
  }

  #statement(db: DatabaseSync, sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = db.prepare(sql)));
    return statement;
  }

  #rollBack(db: DatabaseSync): void {
    try {
      db.exec("ROLLBACK");
    } catch {
      // Some errors roll back automatically. A new connection discards other transactions.
      if (inTransaction(db)) this.#drop();
    }
  }

  #drop(): void {
    const db = this.#db;
    this.#statements.clear();
    this.#db = undefined;
    this.#mark?.close();
    this.#mark = undefined;
    db?.close();
  }

  #open(): DatabaseSync {
    const { path, durability, opened } = this.#options;
    if (this.#closed) throw storeError("STORE_CLOSED", `${path} was closed.`);
    const { DatabaseSync } = loadSqlite();
    new PrivateFolder(dirname(path)).make();
    const found = makePrivateFile(path);
    let isEmptied = false;
    const db = new DatabaseSync(path);
    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      const size = statSync(path).size;
      // Has an effect only on an empty file.
      if (size === 0) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
      retryWhileBusy(() => db.exec("PRAGMA journal_mode = WAL"), BUSY_MS);
      db.exec(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
      // Removed and redacted data must not remain on disk.
      db.exec("PRAGMA secure_delete = ON");
      db.exec(`PRAGMA journal_size_limit = ${WAL_LIMIT}`);
      db.exec(`PRAGMA wal_autocheckpoint = ${PAGES_OF_WAL}`);
      const hasNewForm = ensureSchema(db, path);
      // A schema only in the write-ahead file could get lost. Its creator may have died before this step.
      if (hasNewForm || size <= FIRST_PAGE) db.exec("PRAGMA wal_checkpoint(PASSIVE)");
      isEmptied = hasNewForm && found !== undefined && found <= FIRST_PAGE;
    } catch (thrown) {
      db.close();
      throw thrown;
    }
    this.#db = db;
    try {
      this.#file ??= lstatSync(path);
      this.#mark = new RollbackCanary(path);
      this.write(() => {
        this.#noteLoss(this.#mark?.read(), isEmptied);
        opened?.();
      });
    } catch (thrown) {
      this.#drop();
      throw thrown;
    }
    return db;
  }

  #noteLoss(marked: CanaryRecord | undefined, isEmptied: boolean): void {
    const { id, commits } = this.get("SELECT id, commits FROM store") as { id: number; commits: number };
    this.#marked = { store: id, commits, row: 0 };
    this.#isMarked = false;
    if (marked === undefined) return;
    const isThere = () => marked.row === 0 || this.#options.hasRow(marked.row);
    // An earlier file may have left the mark.
    const isWhole = marked.store === id ? commits >= marked.commits && isThere() : !isEmptied;
    if (isWhole) return;
    const what = isEmptied ? EMPTIED : CUT;
    this.run("INSERT INTO incidents VALUES (?, ?)", Date.now(), what);
    this.#options.lost?.(what);
  }
}

const EMPTIED = "All data is lost: the file was emptied.";
const CUT =
  "The latest data is lost: the write-ahead file was removed or cut, or the file was replaced by an older copy.";

function inTransaction(db: DatabaseSync): boolean {
  try {
    db.exec("BEGIN");
    db.exec("ROLLBACK");
    return false;
  } catch {
    return true;
  }
}

let loaded: typeof Sqlite | undefined;

/** Loads Node's SQLite on demand. @throws HaftError `STORE_UNSUPPORTED` */
function loadSqlite(): typeof Sqlite {
  loaded ??= withoutItsWarning(() => {
    try {
      return process.getBuiltinModule("node:sqlite");
    } catch (thrown) {
      throw unsupported(thrown);
    }
  });
  if (loaded === undefined) throw unsupported(undefined);
  return loaded;
}

function unsupported(cause: unknown) {
  const why = cause === undefined ? "" : ` (${getErrorMessage(cause)})`;
  return storeError("STORE_UNSUPPORTED", `This engine (${process.version}) has no node:sqlite${why}.`, {
    cause,
  });
}

/**
 * Suppresses only the warning of Node 22 and 24 that SQLite is experimental: loading is synchronous.
 */
function withoutItsWarning<T>(load: () => T): T {
  const descriptor = Object.getOwnPropertyDescriptor(process, "emitWarning")!;
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  const filtered = (...args: unknown[]) => {
    const isExperimental = args[1] === "ExperimentalWarning";
    if (!(isExperimental && String(args[0]).startsWith("SQLite "))) emitWarning(...args);
  };
  Object.defineProperty(process, "emitWarning", { ...descriptor, value: filtered });
  try {
    return load();
  } finally {
    Object.defineProperty(process, "emitWarning", descriptor);
  }
}
