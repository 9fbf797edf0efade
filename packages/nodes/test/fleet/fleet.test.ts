import { expect, test } from "vitest";
import { defects } from "./defects.ts";
import { playFleets } from "./play-fleets.ts";

const seed = 1;

/** Seeds that once showed something, which is mended. They draw other things once what they play is changed. */
const KEPT = {
  "two hosts that began one session at once each had a run of it, and one call ran twice": 1,
  "a lease was held until the server's answer to its end, while another host had it": 5,
};

test.each(Object.entries(KEPT))("%s", async (_, kept) => {
  const { broken } = await playFleets({ seed: kept, small: 1, large: 0 });
  expect(broken).toEqual([]);
});

test("no call is begun twice, none is lost, and no lease is held by two", async () => {
  const { broken, counts } = await playFleets({ seed, small: 25, large: 0 });
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(broken, "what such a seed does: npm run soak -- fleet --minutes 0.01 --seed N").toEqual([]);
  for (const what of ["begun", "taken over", "unknown", "answered from the ledger", "hosts killed"])
    expect({ [what]: counts[what] ?? 0 }).not.toEqual({ [what]: 0 });
});

test("a seed plays the same each time", async () => {
  const [first, second] = await Promise.all([1, 2].map(() => playFleets({ seed, small: 3, large: 0 })));
  expect(first!.happened).toEqual(second!.happened);
});

test("what is left out or done wrong is noticed", async () => {
  const { noticed } = await playFleets({ seed: 1, small: 0, large: 0, defects: 300 });
  process.stdout.write(`${JSON.stringify(noticed)}\n`);
  expect(Object.keys(noticed)).toEqual(Object.keys(defects));
  const missed = Object.keys(noticed).filter(
    (what) => noticed[what] === 0 && defects[what]!.isHarmless !== true,
  );
  expect(missed).toEqual([]);
});
