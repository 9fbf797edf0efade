import { expect, test } from "vitest";
import { view } from "../../../../test/support/view.ts";
import { raceContained } from "./soak/races.ts";
import { hitWindows } from "./soak/windows.ts";

// A share of `npm run soak -- contained`.
test.skipIf(!view.available)(
  "what a command gets into the settings of git while they are uncovered is taken out, and what the user set stays",
  { timeout: 120_000 },
  async () => {
    expect(await hitWindows(2)).toMatchObject({ windows: 2 });
  },
);

test.skipIf(!view.available)(
  "a command that swaps whatever Haft looks at gets nothing out, and no other command is refused",
  { timeout: 120_000 },
  async () => {
    expect(await raceContained(40, 216)).toMatchObject({ races: 40, refused: {} });
  },
);
