import type { CallRecord, LedgerRun, RunOpening } from "@haft/core/internal";
import { uptime } from "node:os";
import { onTestFinished } from "vitest";
import type { LeaseTimes } from "../../../src/nats/ledger/lease-times.ts";
import { type NatsStore, type NatsStoreOptions, openWithTimes } from "../../../src/nats/open-nats-store.ts";
import type { TestServer } from "./nats-server.ts";
import { anOpening } from "./samples.ts";

let stores = 0;

/** A prefix that no other test has. */
export function freshPrefix(): string {
  stores += 1;
  return `p${stores}`;
}

/** Leases of less than a second. */
export const SHORT: LeaseTimes = { renewMs: 100, holdMs: 600, takeMs: 900, clock: () => uptime() * 1000 };

/** Opens a store; closed after the test. */
export async function openStore(
  server: Pick<TestServer, "url">,
  options: Partial<NatsStoreOptions> = {},
  times: Partial<LeaseTimes> = {},
): Promise<NatsStore> {
  const given = { servers: server.url, keep: { bytes: 1_000_000 }, ...options };
  const store = await openWithTimes(given, { ...SHORT, ...times });
  onTestFinished(() => store.close());
  return store;
}

/** A clock that is moved by hand. */
export function aClock() {
  const clock = {
    now: 1_000_000,
    reads: 0,
    read() {
      clock.reads += 1;
      return clock.now;
    },
  };
  return clock;
}

export function take(store: NatsStore, parts: Partial<RunOpening> = {}): Promise<LedgerRun> {
  return store.ledger.open(anOpening({ resume: true, takeOver: true, ...parts }));
}

/** Rejects also where a store throws at once. */
export async function write(run: LedgerRun, calls: readonly CallRecord[]): Promise<void> {
  await run.write(calls);
}
