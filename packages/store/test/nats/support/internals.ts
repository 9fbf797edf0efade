// What tests of other packages need of the inside of the store.
export { Link } from "../../../src/nats/connection/link.ts";
export { openNatsStore } from "../../../src/nats/index.ts";
export { NatsLease } from "../../../src/nats/ledger/nats-lease.ts";
export type { LeaseTimes } from "../../../src/nats/ledger/lease-times.ts";
export { RunsBucket } from "../../../src/nats/ledger/runs-bucket.ts";
export { createNatsStore } from "../../../src/nats/create-nats-store.ts";
export { sampleOpening } from "../../../src/testing/ledger/samples.ts";
