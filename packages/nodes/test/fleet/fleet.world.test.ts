import { expect, test } from "vitest";
import { defects } from "./defects.ts";
import { playFleets } from "./play-fleets.ts";

test("the same seed produces the same run", async () => {
  const [first, second] = await Promise.all([1, 2].map(() => playFleets({ seed: 1, small: 3, large: 0 })));
  expect(first!.happened).toEqual(second!.happened);
});

test("the invariants detect each injected defect", async () => {
  const { noticed } = await playFleets({ seed: 1, small: 0, large: 0, defects: 300 });
  process.stdout.write(`${JSON.stringify(noticed)}\n`);
  expect(Object.keys(noticed)).toEqual(Object.keys(defects));
  const missed = Object.keys(noticed).filter(
    (what) => noticed[what] === 0 && defects[what]!.isHarmless !== true,
  );
  expect(missed).toEqual([]);
});
