// What tests of other packages need of the inside of the store.
export { Link } from "../../../src/nats/connection/link.ts";
export { openNatsStore } from "../../../src/nats/index.ts";
export { HeldLease } from "../../../src/nats/ledger/held-lease.ts";
export type { LeaseTimes } from "../../../src/nats/ledger/lease-times.ts";
export { RunsBucket } from "../../../src/nats/ledger/runs-bucket.ts";
export { storeOver } from "../../../src/nats/store-over.ts";
export { openingOf } from "../../../src/testing/ledger/samples.ts";
