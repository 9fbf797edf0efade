import { invalidOptions } from "@haft/core";
import { DEFAULT_RETENTION, requireKnownOptions } from "@haft/core/internal";
import { connectTo, readOptionFile } from "./connection/connect.ts";
import { createNatsNames } from "./connection/names.ts";
import { bootClock } from "./connection/server-clock.ts";
import { createNatsStore } from "./create-nats-store.ts";
import type { LeaseTimes } from "./ledger/lease-times.ts";
import type { NatsStore, NatsStoreOptions } from "./nats-store.ts";

/** All hosts use these. A holder stops five seconds before its lease can be taken. */
const TIMES: LeaseTimes = {
  renewMs: 10_000,
  holdMs: 40_000,
  takeMs: 45_000,
  clock: bootClock,
  sweepMs: 3_600_000,
};

/**
 * Opens a store for several hosts, with ledger, leases and approvals, on a NATS server with JetStream (2.9 or newer). Creates missing
 * streams.
 *
 * Needs `@nats-io/transport-node`, `@nats-io/jetstream` and `@nats-io/kv` from the application.
 *
 * @throws HaftError `STORE_UNSUPPORTED`, `INVALID_OPTIONS`, `NATS_FORBIDDEN`, `NATS_UNFIT`, `NATS_FAILED`
 *
 * @example
 * ```ts
 * import { openNatsStore } from "@haft/store/nats";
 * const store = await openNatsStore({ servers: "tls://nats.example.com", nkeyFile: "/etc/agent/host.nk" });
 * const problems = await store.check();
 * console.log(problems.length === 0 ? "The store is intact." : problems);
 * ```
 */
export async function openNatsStore(options: NatsStoreOptions): Promise<NatsStore> {
  requireKnownOptions<NatsStoreOptions>("openNatsStore", options, {
    servers: true,
    prefix: true,
    replicas: true,
    keep: true,
    sealKeyFile: true,
    logger: true,
    credentialsFile: true,
    nkeyFile: true,
    user: true,
    password: true,
    token: true,
    tls: true,
  });
  return await openWithTimes(options, TIMES);
}

export async function openWithTimes(options: NatsStoreOptions, times: LeaseTimes): Promise<NatsStore> {
  const { prefix = "haft", replicas = 1, logger } = options;
  const { days, bytes } = { ...DEFAULT_RETENTION, ...options.keep };
  requireNumber("keep.days", days, 1);
  requireNumber("keep.bytes", bytes, 1_000_000);
  requireNumber("replicas", replicas, 1);
  const sealKey = sealKeyOf(options.sealKeyFile);
  const link = await connectTo(options, createNatsNames(prefix), times.clock, logger);
  return await createNatsStore(link, { replicas, bytes, days, sealKey }, times);
}

function sealKeyOf(path: string | undefined): Uint8Array | undefined {
  if (path === undefined) return undefined;
  const key = readOptionFile("sealKeyFile", path);
  if (key.length >= 32) return key;
  const message = `sealKeyFile has only ${key.length} bytes, which can be guessed.`;
  throw invalidOptions(message, "Create a file of 32 random bytes: `openssl rand -out FILE 32`.");
}

function requireNumber(name: string, value: number, least: number): void {
  if (Number.isFinite(value) && value >= least) return;
  throw invalidOptions(`${name} is ${String(value)}; it must be a number from ${least}.`);
}
