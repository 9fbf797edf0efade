import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import { delayAnswer, openPage, startBrowser } from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

it.skipIf(noBrowser !== undefined)(
  "a new program in an edit is checked after the cells are shown",
  async () => {
    const { served } = await openHostWithPage();
    const held = delayAnswer("**/api/policy/lint");
    const { page, troubles } = await openPage(browser, `${served.url}&/policy/edit`);
    const editor = page.getByRole("textbox");
    await editor.waitFor();
    await held.before(page);
    await editor.fill("deny: [write]\nexec:\n  ask: on-miss\n  allow:\n    - no-such-program-here *\n");
    const effects = page.getByRole("region", { name: "Changes" });
    await effects.getByText("write").first().waitFor();
    await held.answered;
    const warning = page.getByText('This machine has no program "no-such-program-here".');
    expect(await warning.count()).toBe(0);
    held.release();
    await warning.first().waitFor();
    expect(troubles).toEqual([]);
  },
);
