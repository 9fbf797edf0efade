import type { Logger } from "@haft/core";
import { storeError } from "../errors.ts";
import type { StateStore } from "../state-store.ts";
import { connectTo, contentOf } from "./connection/connect.ts";
import { namesOf } from "./connection/names.ts";
import type { NatsConnectionOptions } from "./connection/options.ts";
import { bootClock } from "./connection/server-clock.ts";
import type { LeaseTimes } from "./ledger/lease-times.ts";
import type { RecordsOptions, SharedRecords } from "./records/shared-records.ts";
import { storeOver } from "./store-over.ts";

/** Options of `openNatsStore`. */
export interface NatsStoreOptions extends NatsConnectionOptions {
  /** Begins the names of all that the store has on the server: hosts with the same share it. `haft` by default. */
  readonly prefix?: string;
  /** In a cluster: how many servers keep each record, 1 by default. Of a stream that is there already it is not changed. */
  readonly replicas?: number;
  /** What is kept of runs that nobody has. */
  readonly keep?: {
    /** Days after a run was closed, or its holder gave the last sign; 30 by default. */
    readonly days?: number;
    /** Bytes of all calls; the oldest runs go first. 500 MB by default. The server refuses more than twice that. */
    readonly bytes?: number;
  };
  /**
   * A file with 32 bytes or more that only these hosts have, the same at each: answers and grants are sealed with it, so whoever
   * else may write to the bucket of approvals can allow nothing. Absent: they are believed.
   */
  readonly sealKeyFile?: string;
  /** Told when the connection is lost and when it is back. */
  readonly logger?: Pick<Logger, "warn">;
}

/** What several hosts keep on one NATS server. */
export interface NatsStore extends StateStore {
  /** Removes now what is older or more than is to be kept, which happens by itself once an hour. */
  sweep(): Promise<void>;
  /**
   * Small records that all hosts of the store share, such as what was decided about nodes: `pairings` of `createNodes`.
   *
   * @throws HaftError `NATS_OPTIONS_INVALID`, `NATS_FAILED`
   */
  records<T>(options: RecordsOptions<T>): Promise<SharedRecords<T>>;
}

/** Leases as all hosts of a store have them. A holder stops five seconds before anybody takes its place. */
const TIMES: LeaseTimes = {
  renewMs: 10_000,
  holdMs: 40_000,
  takeMs: 45_000,
  clock: bootClock,
  sweepMs: 3_600_000,
};

/**
 * Opens the store of several hosts: ledger, runs with their leases, and approvals on a NATS server with JetStream (2.9 or
 * newer). Makes its streams where they are not there.
 *
 * Needs `@nats-io/transport-node`, `@nats-io/jetstream` and `@nats-io/kv`, which are installed beside this package.
 *
 * @throws HaftError `NATS_CLIENT_MISSING`, `NATS_OPTIONS_INVALID`, `NATS_UNREACHABLE`, `NATS_FORBIDDEN`,
 * `NATS_JETSTREAM_MISSING`, `NATS_STREAM_UNFIT`, `NATS_FAILED`
 */
export async function openNatsStore(options: NatsStoreOptions): Promise<NatsStore> {
  return await openWithTimes(options, TIMES);
}

/** For tests: leases of other times. */
export async function openWithTimes(options: NatsStoreOptions, times: LeaseTimes): Promise<NatsStore> {
  const { prefix = "haft", replicas = 1, logger } = options;
  const { days = 30, bytes = 500_000_000 } = options.keep ?? {};
  requireNumber("keep.days", days, 1);
  requireNumber("keep.bytes", bytes, 1_000_000);
  requireNumber("replicas", replicas, 1);
  const sealKey = sealKeyOf(options.sealKeyFile);
  const link = await connectTo(options, namesOf(prefix), times.clock, logger);
  return await storeOver(link, { replicas, bytes, days, sealKey }, times);
}

function sealKeyOf(path: string | undefined): Uint8Array | undefined {
  if (path === undefined) return undefined;
  const key = contentOf("sealKeyFile", path);
  if (key.length >= 32) return key;
  const message = `sealKeyFile has ${key.length} bytes, which can be guessed.`;
  throw storeError("NATS_OPTIONS_INVALID", message, {
    fix: "Make one of 32 random bytes: `openssl rand -out FILE 32`.",
  });
}

function requireNumber(name: string, value: number, least: number): void {
  if (Number.isFinite(value) && value >= least) return;
  throw storeError(
    "NATS_OPTIONS_INVALID",
    `${name} is ${String(value)}, and has to be a number from ${least}.`,
  );
}
