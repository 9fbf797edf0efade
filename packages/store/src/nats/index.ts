export type { NatsConnectionOptions } from "./connection/options.ts";
export type { NatsStore, NatsStoreOptions } from "./nats-store.ts";
export { openNatsStore } from "./open-nats-store.ts";
