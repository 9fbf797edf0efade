import type { Logger } from "@haft/core";
import type { LedgerStore } from "@haft/core/internal";
import type { ApprovalStore } from "@haft/core/kernel";
import { storeError } from "../errors.ts";
import type { StateStore } from "../state-store.ts";
import { NatsApprovals } from "./approvals/nats-approvals.ts";
import { connectTo } from "./connection/connect.ts";
import { ensureStreams } from "./connection/ensure-streams.ts";
import { namesOf } from "./connection/names.ts";
import type { NatsConnectionOptions } from "./connection/options.ts";
import { bootClock } from "./connection/server-clock.ts";
import type { LeaseTimes } from "./ledger/lease-times.ts";
import { NatsLedger } from "./ledger/nats-ledger.ts";
import { Retention } from "./ledger/retention.ts";
import { RunsBucket } from "./ledger/runs-bucket.ts";

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
  /** Told when the connection is lost and when it is back. */
  readonly logger?: Pick<Logger, "warn">;
}

/** What several hosts keep on one NATS server. */
export interface NatsStore extends Omit<StateStore, "approvals" | "processes" | "notices"> {
  /** Runs of sessions, and their calls. */
  readonly ledger: LedgerStore;
  /** What was asked, answered and allowed. */
  readonly approvals: ApprovalStore;
  /** Removes now what is older or more than is to be kept, which happens by itself once an hour. */
  sweep(): Promise<void>;
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
  const link = await connectTo(options, namesOf(prefix), times.clock, logger);
  try {
    await ensureStreams(link, { replicas, bytes });
  } catch (thrown) {
    await link.close();
    throw thrown;
  }
  const place = { link, runs: new RunsBucket(link), times };
  const ledger = new NatsLedger(place);
  const approvals = new NatsApprovals(link);
  const retention = new Retention(place, { days, bytes });
  const close = async () => {
    retention.close();
    await approvals.close();
    await link.close();
  };
  const sweep = async () => {
    await retention.sweep();
    await approvals.sweep();
  };
  return { ledger, approvals, sweep, close };
}

function requireNumber(name: string, value: number, least: number): void {
  if (Number.isFinite(value) && value >= least) return;
  throw storeError(
    "NATS_OPTIONS_INVALID",
    `${name} is ${String(value)}, and has to be a number from ${least}.`,
  );
}
