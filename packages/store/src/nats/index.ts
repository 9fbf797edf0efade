export type { NatsConnectionOptions } from "./connection/connect.ts";
export { type NatsStore, type NatsStoreOptions, openNatsStore } from "./open-nats-store.ts";
