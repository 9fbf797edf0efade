export type { NoticeRecord, NoticeStore } from "./notice-store.ts";
export type { KeptProcess, ProcessStore } from "./process-store.ts";
export type { Durability } from "./sqlite/database/database.ts";
export { openSqliteStore } from "./sqlite/open-sqlite-store.ts";
export type { SqliteStore, SqliteStoreOptions } from "./sqlite/open-sqlite-store.ts";
export type { StateStore } from "./state-store.ts";
export type { StoreProblem } from "./store-problem.ts";
