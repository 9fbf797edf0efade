export type { NoticeRecord, NoticeStore } from "./notice-store.ts";
export type { KeptProcess, ProcessStore } from "./process-store.ts";
export type { Durability } from "./sqlite/database/database.ts";
export type { StoreProblem } from "./sqlite/check/check-file.ts";
export { openSqliteStore } from "./sqlite/open-sqlite-store.ts";
export type { SqliteStore, SqliteStoreOptions } from "./sqlite/open-sqlite-store.ts";
export type { StateStore } from "./state-store.ts";
