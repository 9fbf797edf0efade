import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { StallClock } from "../../src/link/stall-clock.ts";

/** Nothing else of this process runs meanwhile. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("counts the wait of messages that arrived while the process was busy", async () => {
  const clock = new StallClock();
  onTestFinished(() => clock.close());
  block(1_000);
  expect(clock.waitedMs()).toBeGreaterThanOrEqual(990);
  for (let isLate = true; isLate;) {
    block(1_000);
    const blockedAt = performance.now();
    // Its timer is first.
    await setTimeout(0);
    const waited = clock.waitedMs();
    // On a busy machine too much time has gone by: then it is tried again.
    isLate = performance.now() - blockedAt > 150;
    if (!isLate) expect(waited).toBeGreaterThanOrEqual(990);
  }
  await vi.waitFor(() => expect(clock.waitedMs()).toBe(0), 20_000);
});
