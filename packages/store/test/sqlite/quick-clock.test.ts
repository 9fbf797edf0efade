import { expect, test } from "vitest";
import { quickClock } from "../../src/sqlite/ledger/quick-clock.ts";

function clocks() {
  const at = { slow: 1_000_000, steady: 0, wall: 5_000, asked: 0 };
  const now = quickClock({
    slow() {
      at.asked++;
      return at.slow;
    },
    steady: () => at.steady,
    wall: () => at.wall,
  });
  const pass = (ms: number, by: { steady?: number; wall?: number } = {}) => {
    at.slow += ms;
    at.steady += by.steady ?? ms;
    at.wall += by.wall ?? ms;
  };
  return { at, now, pass };
}

test("reads the slow clock once for a thousand reads in a second", () => {
  const { at, now, pass } = clocks();
  for (let ms = 0; ms < 1000; ms++) {
    expect(now()).toBe(at.slow);
    pass(1);
  }
  expect(at.asked).toBe(1);
});

test("counts sleep of any length, even if the wall clock was set during it", () => {
  const { at, now, pass } = clocks();
  now();
  for (const wall of [60_000, 70_000, -3_600_000]) {
    pass(60_000, { steady: 0, wall });
    expect(now()).toBe(at.slow);
  }
});

test("counts stops of the process and ignores a set clock", () => {
  const { at, now, pass } = clocks();
  now();
  pass(31_000);
  expect(now()).toBe(at.slow);
  pass(10, { wall: 86_400_000 });
  expect(now()).toBe(at.slow);
  pass(10, { wall: -86_400_000 });
  expect(now()).toBe(at.slow);
});

test("lags only by a sleep that is too short to detect", () => {
  const { at, now, pass } = clocks();
  for (let sleeps = 0; sleeps < 20; sleeps++) {
    pass(49, { steady: 0 });
    expect(at.slow - now()).toBeLessThanOrEqual(50);
  }
});
