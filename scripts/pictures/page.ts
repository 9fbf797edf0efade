// Photographs the inspector's page over a real host into docs/pictures, with its text. --check only fails if
// a text differs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, finish } from "../lib/checks.ts";
import { showPagePictures } from "../lib/pictures/page-pictures.ts";
import { root } from "../lib/workspace.ts";

const folder = join(root, "docs/pictures");
for await (const { name, text, page } of showPagePictures())
  await check(`docs/pictures/${name}.png`, async () => {
    const file = join(folder, `${name}.txt`);
    if (!process.argv.includes("--check")) {
      await page.screenshot({ path: join(folder, `${name}.png`) });
      writeFileSync(file, text);
    } else if (readFileSync(file, "utf8") !== text)
      throw new Error(`${name} shows something else now: npm run pictures`);
  });
await finish();
