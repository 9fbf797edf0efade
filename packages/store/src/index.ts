export { openSqliteStore } from "./sqlite/open-sqlite-store.ts";
export type { SqliteStore, SqliteStoreOptions } from "./sqlite/open-sqlite-store.ts";
export type {
  ProcessRecord,
  NoticeRecord,
  NoticeStore,
  ProcessStore,
  StateStore,
  StoreProblem,
} from "./state-store.ts";
