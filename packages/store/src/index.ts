export type { NoticeRecord, NoticeStore } from "./notice-store.ts";
export type { KeptProcess, ProcessStore } from "./process-store.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./sqlite/open-sqlite-store.ts";
export type { StateStore } from "./state-store.ts";
