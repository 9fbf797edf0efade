import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { storeError } from "../../src/errors.ts";
import { NatsLease } from "../../src/nats/ledger/nats-lease.ts";
import type { StoredRun, RunsBucket } from "../../src/nats/ledger/runs-bucket.ts";

const RENEW_MS = 100;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A lease whose server answers like this. */
function leaseOf(answer: () => Promise<number | undefined>) {
  let renewals = 0;
  const put = () => {
    renewals++;
    return answer();
  };
  const run = { sessionKey: "main", runId: "1", epoch: 1, startedAt: 0 };
  const lease = new NatsLease(
    { put, get: () => Promise.resolve(undefined) } as unknown as RunsBucket,
    { run, holder: "us" } as unknown as StoredRun,
    { holdMs: 3 * RENEW_MS, renewMs: RENEW_MS, clock: () => Date.now() } as never,
    { revision: 1, sent: Date.now() },
  );
  return { lease, asked: () => renewals };
}

test("retries renewals at a constant rate during a long outage", async () => {
  const { lease, asked: renewals } = leaseOf(() => Promise.reject(new Error("nobody is there")));
  await vi.advanceTimersByTimeAsync(20 * RENEW_MS);
  const before = renewals();
  await vi.advanceTimersByTimeAsync(20 * RENEW_MS);
  expect([before, renewals() - before]).toEqual([20, 20]);
  // Somebody asks for it beside.
  await Promise.all([lease.renew(), lease.renew()]);
  await vi.advanceTimersByTimeAsync(20 * RENEW_MS);
  expect(renewals()).toBe(61);
  expect(() => lease.check()).toThrow("could not be renewed in time");
  lease.lose("it was closed here");
  await vi.advanceTimersByTimeAsync(20 * RENEW_MS);
  expect(renewals()).toBe(61);
});

test("renews after the server is back, and stops after the store was closed", async () => {
  let isBack = false;
  const { lease, asked: renewals } = leaseOf(() =>
    isBack ? Promise.resolve(renewals() + 1) : Promise.reject(new Error("nobody is there")),
  );
  await vi.advanceTimersByTimeAsync(5 * RENEW_MS);
  expect(() => lease.check()).toThrow("could not be renewed in time");
  isBack = true;
  await vi.advanceTimersByTimeAsync(RENEW_MS);
  expect(() => lease.check()).not.toThrow();
  lease.lose("the test is over");

  const closed = leaseOf(() => Promise.reject(storeError("STORE_CLOSED", "the store was closed.")));
  await vi.advanceTimersByTimeAsync(20 * RENEW_MS);
  expect(closed.asked()).toBe(1);
  closed.lease.lose("the test is over");
});
