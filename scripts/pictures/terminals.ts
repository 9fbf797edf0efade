// Draws the documents' terminals from real output into docs/pictures. --check only fails if a picture
// differs.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { haftCommand } from "../../test/support/build-under-test.ts";
import { check, finish } from "../lib/checks.ts";
import { playStory } from "../lib/pictures/play-story.ts";
import { stories } from "../lib/pictures/stories.ts";
import { root } from "../lib/workspace.ts";

const folder = join(root, "docs/pictures");
mkdirSync(folder, { recursive: true });
for (const story of stories)
  await check(`docs/pictures/${story.name}.svg`, async () => {
    const file = join(folder, `${story.name}.svg`);
    const drawn = await playStory(story, haftCommand);
    if (!process.argv.includes("--check")) writeFileSync(file, drawn);
    else if (readFileSync(file, "utf8") !== drawn)
      throw new Error("it shows something else now: npm run pictures");
  });
await finish();
