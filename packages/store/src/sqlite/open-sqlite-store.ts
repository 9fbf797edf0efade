import type { Logger } from "@haft/core";
import type { StateStore } from "../state-store.ts";
import { SqliteApprovals } from "./approvals/sqlite-approvals.ts";
import { Database, type Durability } from "./database/database.ts";
import { SqliteLedger } from "./ledger/sqlite-ledger.ts";
import { noticeRows } from "./notices/notice-rows.ts";
import { processRows } from "./processes/process-rows.ts";
import { STEPS } from "./steps.ts";

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

/**
 * A store in one SQLite file, for all processes of this machine and user. Nothing is opened before it is first used, and
 * what cannot be opened says so then, every time.
 */
export function openSqliteStore(options: SqliteStoreOptions): StateStore {
  const { path, durability = "process", keep = {}, logger } = options;
  const database = new Database({
    path,
    durability,
    steps: STEPS,
    opened: () => ledger.settleDead(),
    hasRow: (row) => ledger.hasCall(row),
  });
  const ledger = new SqliteLedger(database, { days: keep.days ?? 30, bytes: keep.bytes ?? 500_000_000 });
  const approvals = new SqliteApprovals(database, (message) => logger?.warn(message));
  return {
    ledger,
    approvals,
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
