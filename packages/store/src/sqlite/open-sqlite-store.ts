import type { Logger } from "@haft/core";
import { DEFAULT_RETENTION, requireKnownOptions } from "@haft/core/internal";
import { MAX_NOTICE_PROBLEM, MAX_PROCESSES, SETTLED_MS } from "../defaults.ts";
import type { ProcessRecord, NoticeRecord, NoticeStore, ProcessStore, StateStore } from "../state-store.ts";
import { SqliteApprovals } from "./approvals/sqlite-approvals.ts";
import { checkFile, repairFile } from "./check/check-file.ts";
import { Database, type Durability } from "./database/database.ts";
import { SqliteLedger } from "./ledger/sqlite-ledger.ts";

/** Where a host keeps its sessions, and how. */
export interface SqliteStoreOptions {
  /** The file. Its folder is made private to this user, and so are the files that SQLite puts beside it. */
  readonly path: string;
  /**
   * `process` (default): what was kept outlives the death of any process. `full`: also a power cut; each commit waits
   * for the disk, which takes milliseconds.
   */
  readonly durability?: Durability;
  /**
   * Calls that are older than so many days go, and the oldest ones when the file has more bytes. 30 days and
   * 500,000,000 bytes by default. A call that waits for a decision never goes.
   */
  readonly keep?: { readonly days?: number; readonly bytes?: number };
  /** Told of what cannot be used. */
  readonly logger?: Pick<Logger, "warn">;
}

/** A store in one SQLite file. */
export interface SqliteStore extends StateStore {
  /**
   * Puts a file that cannot be read aside, and begins a new one; takes note of what else is missing, so that it is not
   * said again. Nothing is deleted. While no other process has the file.
   *
   * @returns where the damaged file is now; `undefined` where it stayed
   */
  repair(): Promise<string | undefined>;
}

/**
 * A store in one SQLite file, for all processes of this machine and user. Nothing is opened before it is first used, and
 * what cannot be opened says so then, every time.
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
