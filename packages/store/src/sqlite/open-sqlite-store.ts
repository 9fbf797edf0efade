import type { Logger } from "@haft/core";
import { DEFAULT_KEEP, requireKnownOptions } from "@haft/core/internal";
import type { StateStore } from "../state-store.ts";
import { SqliteApprovals } from "./approvals/sqlite-approvals.ts";
import { checkFile, repairFile } from "./check/check-file.ts";
import { Database, type Durability } from "./database/database.ts";
import { SqliteLedger } from "./ledger/sqlite-ledger.ts";
import { noticeRows } from "./notices/notice-rows.ts";
import { processRows } from "./processes/process-rows.ts";

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

export interface SqliteStore extends StateStore {
  repair(): Promise<string | undefined>;
}

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
  const ledger = new SqliteLedger(database, { ...DEFAULT_KEEP, ...keep }, () => approvals.expire());
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
