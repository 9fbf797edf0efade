import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { pickShare } from "../../../../../test/support/share.ts";
import { busySessions } from "./support/busy-sessions.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import {
  DESKTOP,
  expectAccessible,
  expectNoOverflow,
  goTo,
  saveScreenshot,
  openPage,
  PHONE,
  startBrowser,
} from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

const WALKS = [
  { size: "desktop", viewport: DESKTOP, colorScheme: "light" },
  { size: "desktop", viewport: DESKTOP, colorScheme: "dark" },
  { size: "phone", viewport: PHONE, colorScheme: "light" },
  { size: "phone", viewport: PHONE, colorScheme: "dark" },
] as const;

describe.skipIf(noBrowser !== undefined)("all views with real sessions", () => {
  // A change is checked with one walk, `npm run test:all` takes all of them.
  it.each(process.env["HAFT_TIER"] === "change" ? pickShare(WALKS, WALKS.length) : WALKS)(
    "$size, $colorScheme",
    async ({ size, viewport, colorScheme }) => {
      const inspected = await openHostWithPage();
      const { main, edited, printed } = await busySessions(inspected);
      const { page, troubles } = await openPage(browser, inspected.served.url, { viewport, colorScheme });
      const runId = await runOf(page, "cli:shop");
      const views: [name: string, place: string, view: string, seen: string][] = [
        ["timeline", `#/timeline/${runId}`, "Timeline", "src/server.ts"],
        ["change", `#/timeline/${runId}/${edited.toolCallId}`, "Timeline", "const port = 8080;"],
        ["output", `#/timeline/${runId}/${printed.toolCallId}`, "Timeline", "cart adds an item"],
        ["approvals", "#/approvals", "Approvals", "rm -rf build"],
        ["matrix", "#/policy", "Policy", "apply_patch"],
        ["cell", await cellOf(page, "exec"), "Policy", "every command on the host needs approval"],
        ["what-if", "#/policy/edit", "Policy", "Edit the rules to see which cells change."],
        ["warnings", "#/policy/lint", "Policy", "No warnings"],
        ["tools", "#/tools", "Tools", "apply_patch"],
        ["tool", "#/tools/offered/exec", "Tools", "Explain the decision"],
        ["missing", "#/tools/missing", "Tools", "No tool is missing"],
        ["plugins", "#/tools/plugins", "Tools", "built into Haft"],
        ["processes", "#/processes", "Processes", "cat"],
        ["places", "#/places", "Places", "Commands of sessions"],
        ["ledger", "#/ledger", "Ledger", "nowhere.txt"],
        ["compare", "#/ledger/compare", "Ledger", "Choose two runs"],
        ["owner", "#/owner", "What can it do?", "Run commands"],
      ];
      for (const [name, place, view, seen] of views) {
        await goTo(page, place);
        await shown(page, view, seen);
        await saveScreenshot(page, `${name}-${size}-${colorScheme}`);
        await expectAccessible(page, name);
        await expectNoOverflow(page, name);
      }
      expect(troubles).toEqual([]);
      await main.close();
    },
  );
});

it.skipIf(noBrowser !== undefined)("the first view loads at most 150 kB, and rare parts later", async () => {
  const { served } = await openHostWithPage();
  const { page } = await openPage(browser, served.url);
  await page.getByText("No session yet").waitFor();
  const files = await page.evaluate<{ name: string; encodedBodySize: number }[]>(
    `performance.getEntriesByType("resource").map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))`,
  );
  const assets = files.filter(({ name }) => !name.includes("/api/"));
  const bytes = assets.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  expect(assets.length).toBeGreaterThan(1);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(150_000);
  expect(assets.filter(({ name }) => /terminal|diff|try-tool/.test(name))).toEqual([]);
});

/** A view is there with these words, which only its part that was gone to has, and nothing of it is on its way any more. */
async function shown(page: Page, view: string, text: string): Promise<void> {
  const main = page.getByRole("main", { name: view, exact: true });
  await expect.poll(() => main.innerText(), { message: view }).toContain(text);
  await expect.poll(() => main.innerText(), { message: view }).not.toContain("Loading …");
}

async function runOf(page: Page, sessionKey: string): Promise<string> {
  await page.getByRole("option", { name: sessionKey }).click();
  await page.waitForURL(/#\/timeline\/\w+/);
  return page.url().split("#/timeline/")[1]!.split(/[/?]/)[0]!;
}

/** Where the cell of a tool in group sessions opens. */
async function cellOf(page: Page, tool: string): Promise<string> {
  await goTo(page, "#/policy");
  const cell = page.getByRole("row", { name: tool }).getByRole("link").nth(1);
  return (await cell.getAttribute("href")) ?? "";
}
