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
 * Which failures stored data survives. `process`: the end of any process. `full`: also a power failure; each commit waits for
 * the disk.
 */
export type Durability = "process" | "full";

interface DatabaseOptions {
  readonly path: string;
  readonly durability: Durability;
  readonly opened?: () => void;
  readonly hasRow: (row: number) => boolean;
  readonly lost?: (what: string) => void;
}

/** Milliseconds that a process waits for another one's transaction; those take a fraction of one. */
const BUSY_MS = 2000;
/**
 * Pages of the write-ahead file from which on a commit moves them into the file, and transactions after which that is done beside
 * the work. It waits for the disk: of 170 calls one did, which cost each 40 µs. 3,000 calls have so many pages.
 */
const PAGES_OF_WAL = 10_000;
const MOVED_AFTER = 300;
/** Bytes of the write-ahead file that stay on the disk once it was emptied. */
const KEPT_OF_WAL = 16 * 1024 * 1024;
/** Milliseconds for which the end of a call is kept in the file that has its beginning, without a look whether it is there. */
const LOOK_MS = 1;
/** Bytes of a file that has no tables: SQLite's page, which is all there is of one whose form was not yet moved there. */
const FIRST_PAGE = 4096;

/**
 * One SQLite file, opened at its first use. Everything is synchronous: a transaction begins and ends in one turn, and
 * nothing of this process comes between. Whatever fails is one of the errors of the catalogue, and the next use tries again.
 */
export class Database {
  readonly path: string;
  readonly #options: DatabaseOptions;
  readonly #statements = new Map<string, StatementSync>();
  #db: DatabaseSync | undefined;
  #isToEmpty = false;
  /** Which file it is: another one may be under its name by now, or none. */
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
   * Changes that happen all or not at all, with nobody's between. What they read is what they change. Within another
   * one they are part of it.
   *
   * @param row One that is there from now on, by which its loss would be noticed; without it the transaction is counted,
   * which costs a page more.
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
   * One statement that is a transaction by itself. How many rows were changed.
   *
   * @param row One that is there where any was changed
   */
  writeSingle(sql: string, row: number, ...values: SQLInputValue[]): number {
    if (this.#writing) return this.run(sql, ...values);
    const isSeen = row === this.#marked.row && performance.now() - this.#seenAt < LOOK_MS;
    return this.#with((db) => {
      const changed = Number(this.#statement(db, sql).run(...values).changes);
      if (changed > 0) this.#noteCommit(this.#marked.commits, row);
      return changed;
    }, isSeen);
  }

  /** What was overwritten just now may be no secret any more that the write-ahead file tells: the next {@link checkpoint} empties that. */
  emptyWriteAhead(): void {
    this.#isToEmpty = true;
  }

  /** Moves what is in the write-ahead file into the file, where that is much by now. Nobody is waited for but the disk. */
  checkpoint(): void {
    if (this.#isToEmpty) this.#empty();
    if (this.#unmoved < MOVED_AFTER) return;
    this.#unmoved = 0;
    this.exec("PRAGMA wal_checkpoint(PASSIVE)");
  }

  close(): void {
    // Others may have it open for long.
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
    // The end of a call is in the row of its beginning.
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

  /** SQLite writes on into a file that was removed, where nobody ever finds it. Put back, it is used again. */
  #requireFile(): void {
    const file = this.#file;
    if (file === undefined || this.#writing) return;
    const there = lstatSync(this.path, { throwIfNoEntry: false });
    if (there?.ino === file.ino && there.dev === file.dev) {
      this.#seenAt = performance.now();
      return;
    }
    const what = there === undefined ? "is not there any more" : "is another file by now";
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
      // Some faults have rolled it back already. Where it is still open after all, a new connection has none.
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
      // Before anything is in it; later it would only be written to.
      if (size === 0) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
      retryWhileBusy(() => db.exec("PRAGMA journal_mode = WAL"), BUSY_MS);
      db.exec(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
      // What is forgotten, or covered once it was decided, is not to be read from the disk.
      db.exec("PRAGMA secure_delete = ON");
      db.exec(`PRAGMA journal_size_limit = ${KEPT_OF_WAL}`);
      db.exec(`PRAGMA wal_autocheckpoint = ${PAGES_OF_WAL}`);
      const hasNewForm = ensureSchema(db, path);
      // A file whose form is in the write-ahead file alone would be taken for a new one without it. Whoever gave it the form
      // may have been killed before this.
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
    // Another file than that which was marked: the one of before was moved away, and its mark was left.
    const isWhole = marked.store === id ? commits >= marked.commits && isThere() : !isEmptied;
    if (isWhole) return;
    const what = isEmptied ? EMPTIED : CUT;
    this.run("INSERT INTO incidents VALUES (?, ?)", Date.now(), what);
    this.#options.lost?.(what);
  }
}

const EMPTIED = "All that was kept is gone: the file was emptied.";
const CUT =
  "What was kept last is not there: the write-ahead file was removed or cut, or an older copy of the file was put in its place.";

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

/** Node's own SQLite, loaded when it is first asked for. @throws HaftError `STORE_UNSUPPORTED` */
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
 * Node 22 and 24 say on stderr that their SQLite is experimental. That is for whoever chose it, which users of a
 * command did not. Loading is synchronous: no other warning can be the one that is left out.
 */
function withoutItsWarning<T>(load: () => T): T {
  const own = Object.getOwnPropertyDescriptor(process, "emitWarning")!;
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  const filtered = (...args: unknown[]) => {
    const isExperimental = args[1] === "ExperimentalWarning";
    if (!(isExperimental && String(args[0]).startsWith("SQLite "))) emitWarning(...args);
  };
  Object.defineProperty(process, "emitWarning", { ...own, value: filtered });
  try {
    return load();
  } finally {
    Object.defineProperty(process, "emitWarning", own);
  }
}
