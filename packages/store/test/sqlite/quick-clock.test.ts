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

test("a thousand questions a second ask the slow clock once", () => {
  const { at, now, pass } = clocks();
  for (let ms = 0; ms < 1000; ms++) {
    expect(now()).toBe(at.slow);
    pass(1);
  }
  expect(at.asked).toBe(1);
});

test("a sleep counts, however long, also where the wall clock was set meanwhile", () => {
  const { at, now, pass } = clocks();
  now();
  for (const wall of [60_000, 70_000, -3_600_000]) {
    pass(60_000, { steady: 0, wall });
    expect(now()).toBe(at.slow);
  }
});

test("what passes while the process is stopped counts, and a clock that is set changes nothing", () => {
  const { at, now, pass } = clocks();
  now();
  pass(31_000);
  expect(now()).toBe(at.slow);
  pass(10, { wall: 86_400_000 });
  expect(now()).toBe(at.slow);
  pass(10, { wall: -86_400_000 });
  expect(now()).toBe(at.slow);
});

test("a sleep too short to be seen is all that it may be behind", () => {
  const { at, now, pass } = clocks();
  for (let sleeps = 0; sleeps < 20; sleeps++) {
    pass(49, { steady: 0 });
    expect(at.slow - now()).toBeLessThanOrEqual(50);
  }
});
