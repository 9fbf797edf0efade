import type { StateStore } from "../state-store.ts";
import { Database, type Durability } from "./database/database.ts";
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
}

/**
 * A store in one SQLite file, for all processes of this machine and user. Nothing is opened before it is first used, and
 * what cannot be opened says so then, every time.
 */
export function openSqliteStore({ path, durability = "process" }: SqliteStoreOptions): StateStore {
  const database = new Database({ path, durability, steps: STEPS });
  return {
    close: async () => database.close(),
  };
}
