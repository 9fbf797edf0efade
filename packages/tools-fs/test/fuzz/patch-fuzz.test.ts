import { expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { fuzz } from "./patch-fuzz.ts";

test("random patches and edits have the expected result or no effect, with correct diffs and undo", async () => {
  const count = scaleRuns(3_000, 5);
  const counts = await fuzz(count, 20_261_121);
  expect(counts["patch: applied as known"]).toBeGreaterThan(count / 15);
  expect(counts["edits: applied"]).toBeGreaterThan(count / 30);
}, 120_000);
