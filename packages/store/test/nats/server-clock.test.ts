import { expect, test } from "vitest";
import { ServerClock } from "../../src/nats/connection/server-clock.ts";
import { createManualClock } from "./support/two-stores.ts";

function createClock(at: number) {
  const clock = createManualClock(at);
  const server = new ServerClock(clock.read);
  const hear = (time: number) => server.sync(new Date(time).toISOString(), clock.now);
  return { clock, server, hear };
}

test("expired data stays expired after a delayed time reading", () => {
  const { clock, server, hear } = createClock(50);
  hear(1_000_000);
  expect(server.now()).toBe(1_000_000);
  clock.now += 10;
  expect(server.now()).toBe(1_000_010);
  // That answer was on its way for longer.
  hear(1_000_003);
  expect(server.now()).toBe(1_000_010);
  clock.now += 8;
  expect(server.now()).toBe(1_000_011);
});

test("accepts a corrected server clock", () => {
  const { server, hear } = createClock(50);
  hear(9_000_000);
  expect(server.now()).toBe(9_000_000);
  hear(5_000_000);
  expect(server.now()).toBe(5_000_000);
  hear(7_000_000);
  expect(server.now()).toBe(7_000_000);
});
