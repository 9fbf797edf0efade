// Photographs the inspector's page for the documents, over a real host with what real sessions did, into docs/pictures. Beside each
// picture stands what can be read on it. With --check nothing is written: a page on which something else is read is a failure.
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
