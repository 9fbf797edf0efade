export { openSqliteStore, type SqliteStoreOptions } from "./sqlite/open-sqlite-store.ts";
export type { StateStore } from "./state-store.ts";
