import type { LedgerRun, RunOpening } from "@haft/core/internal";
import { uptime } from "node:os";
import { expect, onTestFinished, vi } from "vitest";
import type { LeaseTimes } from "../../../src/nats/ledger/lease-times.ts";
import type { NatsStore, NatsStoreOptions } from "../../../src/nats/nats-store.ts";
import { openWithTimes } from "../../../src/nats/open-nats-store.ts";
import { sampleOpening } from "../../../src/testing/ledger/samples.ts";
import type { TestServer } from "./nats-server.ts";

let stores = 0;

/** A prefix that no other test has. */
export function freshPrefix(): string {
  stores += 1;
  return `p${stores}`;
}

/** Leases that no slow machine loses. Where one is to end, a test moves a clock. Nothing is swept unasked. */
export const TIMES: LeaseTimes = {
  renewMs: 200,
  holdMs: 60_000,
  takeMs: 65_000,
  clock: () => uptime() * 1000,
};

/** Opens a store; closed after the test. */
export async function openStore(
  server: Pick<TestServer, "url">,
  options: Partial<NatsStoreOptions> = {},
  times: Partial<LeaseTimes> = {},
): Promise<NatsStore> {
  const given = { servers: server.url, keep: { bytes: 1_000_000 }, ...options };
  const store = await openWithTimes(given, { ...TIMES, ...times });
  onTestFinished(() => store.close());
  return store;
}

/** A clock that is moved by hand. */
export interface ManualClock {
  now: number;
  /** How often it was looked at. */
  reads: number;
  read(): number;
}

export function createManualClock(now = 1_000_000): ManualClock {
  const clock = {
    now,
    reads: 0,
    read() {
      clock.reads += 1;
      return clock.now;
    },
  };
  return clock;
}

/** Leases that end when a clock says so that is moved by hand; whoever waits looks at it every 90 ms. */
export function manualLeaseTimes(clock: ManualClock): LeaseTimes {
  return { renewMs: 100, holdMs: 60, takeMs: 90, clock: clock.read };
}

/** No renewal after the first. */
export const NO_RENEWAL = { renewMs: 1_000_000 };

/** Whoever waits by this clock has measured the time, and measured it again. */
export async function waitForClockReads(clock: ManualClock): Promise<void> {
  const before = clock.reads;
  await vi.waitFor(() => expect(clock.reads).toBeGreaterThan(before + 8), 30_000);
}

export function openTestRun(store: NatsStore, parts: Partial<RunOpening> = {}): Promise<LedgerRun> {
  return store.ledger.open(sampleOpening({ resume: true, takeOver: true, ...parts }));
}
