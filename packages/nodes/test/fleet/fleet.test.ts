import { expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { playFleets } from "./play-fleets.ts";

// Seeds 1 and 5 once showed something, which is mended: two hosts that began one session at once each had a run of it, and one
// call ran twice; a lease was held until the server's answer to its end, while another host had it.
test("begins no call twice, loses none, and never has two holders of a lease", async () => {
  const { broken, counts } = await playFleets({ seed: 1, small: scaleRuns(25, 4), large: 0 });
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(broken, "what such a seed does: npm run soak -- fleet --minutes 0.01 --seed N").toEqual([]);
  for (const what of ["begun", "taken over", "unknown", "answered from the ledger", "hosts killed"])
    expect({ [what]: counts[what] ?? 0 }).not.toEqual({ [what]: 0 });
});
