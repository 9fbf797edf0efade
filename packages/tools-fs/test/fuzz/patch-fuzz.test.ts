import { expect, test } from "vitest";
import { fuzz } from "./patch-fuzz.ts";

test("random patches and edits: as known or refused without a trace, true diffs, undo", async () => {
  const counts = await fuzz(3_000, 20_261_121);
  expect(counts["patch: applied as known"]).toBeGreaterThan(200);
  expect(counts["edits: applied"]).toBeGreaterThan(100);
}, 120_000);
