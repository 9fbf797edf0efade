import { fc, test as property } from "@fast-check/vitest";
import type { SandboxBackend, SandboxWorkspace } from "@haft/sandbox";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { SandboxPool } from "../../src/sandbox/sandbox-pool.ts";
import { toSandboxSpec } from "../../src/sandbox/sandbox-spec.ts";

const backend = { id: "counting" } as SandboxBackend;
const specNamed = (sessionKey: string) =>
  toSandboxSpec({}, { sessionKey, agentId: "main", workspaceDir: "/" });

/** A pool whose sandboxes only count themselves. */
function counting(delays: { open?: number; close?: number } = {}) {
  const counted = { opened: 0, closed: 0, mostAtOnce: 0 };
  const there = new Map<string, number>();
  const pool = new SandboxPool(async (_backend, { key }) => {
    const now = (there.get(key) ?? 0) + 1;
    there.set(key, now);
    counted.mostAtOnce = Math.max(counted.mostAtOnce, now);
    counted.opened += 1;
    await sleep(delays.open ?? 0);
    const close = async () => {
      await sleep(delays.close ?? 0);
      there.set(key, there.get(key)! - 1);
      counted.closed += 1;
    };
    return { close } as SandboxWorkspace;
  });
  return { pool, counted };
}

test("opens a sandbox once for two concurrent sessions and closes it with the last", async () => {
  const { pool, counted } = counting({ open: 5 });
  const [one, other] = await Promise.all([
    pool.lease(backend, specNamed("a")),
    pool.lease(backend, specNamed("a")),
  ]);
  expect(one.sandbox).toBe(other.sandbox);
  expect(one.isLast()).toBe(false);
  await Promise.all([one.release(), one.release()]);
  expect(counted).toMatchObject({ opened: 1, closed: 0 });
  expect(other.isLast()).toBe(true);
  await other.release();
  expect(counted).toMatchObject({ opened: 1, closed: 1 });
});

test("opens another sandbox for other settings", async () => {
  const { pool, counted } = counting();
  const spec = specNamed("a");
  await Promise.all([pool.lease(backend, spec), pool.lease(backend, { ...spec, env: { A: "1" } })]);
  expect(counted.opened).toBe(2);
});

test("waits for a closing sandbox before it reuses the name", async () => {
  const { pool, counted } = counting({ close: 10 });
  const lease = await pool.lease(backend, specNamed("a"));
  const released = lease.release();
  await Promise.all([pool.lease(backend, specNamed("a")), pool.lease(backend, specNamed("a")), released]);
  expect(counted).toEqual({ opened: 2, closed: 1, mostAtOnce: 1 });
});

test("forgets a sandbox that could not be opened or closed", async () => {
  let attempts = 0;
  const pool = new SandboxPool(async () => {
    if (++attempts === 1) throw new Error("not today");
    return { close: () => Promise.reject(new Error("stuck")) } as unknown as SandboxWorkspace;
  });
  const both = [pool.lease(backend, specNamed("a")), pool.lease(backend, specNamed("a"))];
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const lease = await pool.lease(backend, specNamed("a"));
  await expect(lease.release()).rejects.toThrow("stuck");
  await pool.lease(backend, specNamed("a"));
  expect(attempts).toBe(3);
});

property.prop([fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.nat(3), fc.nat(3)), { maxLength: 20 })])(
  "whoever comes and goes when, there is one at a time and none at the end",
  async (visits) => {
    const { pool, counted } = counting({ open: 1, close: 1 });
    const stay = async ([name, before, during]: [string, number, number]) => {
      await sleep(before);
      const lease = await pool.lease(backend, specNamed(name));
      await sleep(during);
      await lease.release();
    };
    await Promise.all(visits.map(stay));
    expect(counted.opened).toBe(counted.closed);
    expect(counted.mostAtOnce).toBeLessThanOrEqual(1);
  },
);
