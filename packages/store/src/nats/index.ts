export type { NatsConnectionOptions } from "./connection/options.ts";
export { type NatsStore, type NatsStoreOptions, openNatsStore } from "./open-nats-store.ts";
export type { RecordsOptions, SharedRecords } from "./records/shared-records.ts";
