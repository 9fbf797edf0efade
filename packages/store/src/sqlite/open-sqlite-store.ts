import type { Logger } from "@haft/core";
import { DEFAULT_RETENTION, requireKnownOptions } from "@haft/core/internal";
import { MAX_NOTICE_PROBLEM, MAX_PROCESSES, SETTLED_MS } from "../defaults.ts";
import type { ProcessRecord, NoticeRecord, NoticeStore, ProcessStore, StateStore } from "../state-store.ts";
import { SqliteApprovals } from "./approvals/sqlite-approvals.ts";
import { checkFile, repairFile } from "./check/check-file.ts";
import { Database, type Durability } from "./database/database.ts";
import { SqliteLedger } from "./ledger/sqlite-ledger.ts";

/**
 * Configures {@link openSqliteStore}.
 *
 * @example
 * ```ts
 * import type { SqliteStoreOptions } from "@haft/store";
 * const options: SqliteStoreOptions = {
 *   path: "/var/lib/agent/state.db",
 *   durability: "full",
 *   keep: { days: 7, bytes: 50_000_000 },
 * };
 * ```
 */
export interface SqliteStoreOptions {
  /** Contains the path of the file. Folder and files become private to this user. */
  readonly path: string;
  /**
   * Sets the durability. `process` (default): data survives the end of any process. `full`: also a power failure; each commit waits
   * milliseconds for the disk.
   */
  readonly durability?: Durability;
  /**
   * Limits stored calls by age and file size; the oldest calls are removed, except calls that wait for a decision. Default: 30 days and
   * 500,000,000 bytes.
   */
  readonly keep?: { readonly days?: number; readonly bytes?: number };
  /** Receives warnings about unusable records. */
  readonly logger?: Pick<Logger, "warn">;
}

/**
 * Stores the state in a SQLite file.
 *
 * @example
 * ```ts
 * import { openSqliteStore, type SqliteStore } from "@haft/store";
 * const store: SqliteStore = openSqliteStore({ path: "/var/lib/agent/state.db" });
 * const problems = await store.check();
 * if (problems.length > 0) console.warn("The damaged file is now", await store.repair());
 * ```
 */
export interface SqliteStore extends StateStore {
  /**
   * Renames an unreadable file and starts a new file, whose missing parts are not reported. No other process may have the file open.
   *
   * @returns the new path of the damaged file; `undefined` if it was not moved
   */
  repair(): Promise<string | undefined>;
}

/**
 * Opens a store in a SQLite file, for all processes of this user on this machine. The file is opened at the first use; if that fails, each
 * use throws.
 *
 * @example
 * ```ts run
 * import { openSqliteStore } from "@haft/store";
 * const store = openSqliteStore({ path: "state.db" });
 * const problems = await store.check(); // => []
 * await store.close();
 * ```
 */
export function openSqliteStore(options: SqliteStoreOptions): SqliteStore {
  requireKnownOptions<SqliteStoreOptions>("openSqliteStore", options, {
    path: true,
    durability: true,
    keep: true,
    logger: true,
  });
  const { path, durability = "process", keep = {}, logger } = options;
  const database = new Database({
    path,
    durability,
    opened: () => {
      ledger.settleDead();
      approvals.expire();
    },
    hasRow: (row) => ledger.hasCall(row),
    lost: (what) => logger?.warn(`${path}: ${what}`),
  });
  const approvals = new SqliteApprovals(database, (message) => logger?.warn(message));
  const ledger = new SqliteLedger(database, { ...DEFAULT_RETENTION, ...keep }, () => approvals.expire());
  return {
    ledger,
    approvals,
    check: async () => checkFile(database),
    repair: async () => repairFile(database),
    close: async () => {
      try {
        await approvals.close();
        await ledger.close();
      } finally {
        database.close();
      }
    },
    processes: processRows(database),
    notices: noticeRows(database),
  };
}

function noticeRows(db: Database): NoticeStore {
  return {
    begin: (approvalId, target, at) =>
      db.write(() => {
        db.run("DELETE FROM notices WHERE at < ?", at - SETTLED_MS);
        const sql =
          "INSERT OR IGNORE INTO notices (approval_id, target, at, state) VALUES (?, ?, ?, 'telling')";
        return db.run(sql, approvalId, target, at) > 0;
      }),
    end(approvalId, target, problem) {
      const state = problem === undefined ? "told" : "failed";
      const why = problem?.slice(0, MAX_NOTICE_PROBLEM) ?? null;
      const sql = "UPDATE notices SET state = ?, problem = ? WHERE approval_id = ? AND target = ?";
      db.run(sql, state, why, approvalId, target);
    },
    list: (approvalIds) =>
      approvalIds.flatMap((id) =>
        db
          .all(
            "SELECT approval_id AS approvalId, target, at, state, problem FROM notices WHERE approval_id = ?",
            id,
          )
          .map((row) => {
            const { problem, ...record } = row as { problem: string | null };
            return { ...record, ...(problem !== null && { problem }) } as NoticeRecord;
          }),
      ),
  };
}

function processRows(db: Database): ProcessStore {
  return {
    list: (runId) =>
      db
        .all("SELECT kept FROM processes WHERE run_id = ? ORDER BY number", runId)
        .map((row) => JSON.parse((row as { kept: string }).kept) as ProcessRecord),
    put(runId, command) {
      db.write(() => {
        const { id } = command.info;
        const text = JSON.stringify(command);
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
