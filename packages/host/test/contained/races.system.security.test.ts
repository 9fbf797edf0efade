import { expect, test } from "vitest";
import { view } from "../../../../test/support/view.ts";
import { raceContained } from "./soak/races.ts";
import { hitWindows } from "./soak/windows.ts";

// A share of `npm run soak -- contained`.
test.skipIf(!view.available)(
  "Haft removes a command's change of uncovered git settings and keeps the user's change",
  { timeout: 120_000 },
  async () => {
    expect(await hitWindows(2)).toMatchObject({ windows: 2 });
  },
);

test.skipIf(!view.available)(
  "a command that swaps checked files leaks nothing, and other commands still run",
  { timeout: 120_000 },
  async () => {
    expect(await raceContained(40, 216)).toMatchObject({ races: 40, refused: {} });
  },
);
