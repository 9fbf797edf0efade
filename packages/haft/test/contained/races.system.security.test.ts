import { probeView } from "@haft/sandbox/internal";
import { expect, test } from "vitest";
import { raceContained } from "./soak/races.ts";
import { hitWindows } from "./soak/windows.ts";

const probe = await probeView();
if (!probe.available && process.env["HAFT_REQUIRE_SERVICES"] === "1")
  throw new Error(`Commands cannot be contained here: ${probe.reason}`);

// A share of `npm run soak -- contained`.
test.skipIf(!probe.available)(
  "what a command gets into the settings of git while they are uncovered is taken out, and what the user set stays",
  { timeout: 120_000 },
  async () => {
    expect(await hitWindows(2)).toMatchObject({ windows: 2 });
  },
);

test.skipIf(!probe.available)(
  "a command that swaps whatever Haft looks at gets nothing out, and no other command is refused",
  { timeout: 120_000 },
  async () => {
    expect(await raceContained(40, 216)).toMatchObject({ races: 40, refused: {} });
  },
);
