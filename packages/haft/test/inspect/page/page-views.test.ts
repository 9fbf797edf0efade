import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { busySessions } from "./support/busy-sessions.ts";
import { inspectedHost } from "./support/inspected-host.ts";
import {
  DESKTOP,
  expectAccessible,
  expectNoOverflow,
  goTo,
  keepPicture,
  noBrowser,
  openPage,
  PHONE,
  startBrowser,
} from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (!noBrowser) browser = await startBrowser();
});
afterAll(() => browser?.close());

describe.skipIf(noBrowser)("every view, with what real sessions did", () => {
  it.each([
    { size: "desktop", viewport: DESKTOP, colorScheme: "light" },
    { size: "desktop", viewport: DESKTOP, colorScheme: "dark" },
    { size: "phone", viewport: PHONE, colorScheme: "light" },
    { size: "phone", viewport: PHONE, colorScheme: "dark" },
  ] as const)("$size, $colorScheme", async ({ size, viewport, colorScheme }) => {
    const inspected = await inspectedHost();
    const { main, edited, printed } = await busySessions(inspected);
    const { page, troubles } = await openPage(browser, inspected.served.url, { viewport, colorScheme });
    const runId = await runOf(page, "cli:shop");
    const views: [name: string, place: string, seen: string][] = [
      ["timeline", `#/timeline/${runId}`, "src/server.ts"],
      ["change", `#/timeline/${runId}/${edited.toolCallId}`, "const port = 8080;"],
      ["output", `#/timeline/${runId}/${printed.toolCallId}`, "cart adds an item"],
      ["approvals", "#/approvals", "rm -rf build"],
      ["matrix", "#/policy", "apply_patch"],
      ["cell", await cellOf(page, "exec"), "every command on the host needs approval"],
      ["what-if", "#/policy/edit", "policy.yaml"],
      ["warnings", "#/policy/lint", ""],
      ["tools", "#/tools", "apply_patch"],
      ["tool", "#/tools/offered/exec", "What would happen?"],
      ["missing", "#/tools/missing", ""],
      ["plugins", "#/tools/plugins", "came with Haft"],
      ["processes", "#/processes", "cat"],
      ["places", "#/places", "Commands of sessions"],
      ["ledger", "#/ledger", "nowhere.txt"],
      ["compare", "#/ledger/compare", "Choose two runs"],
      ["owner", "#/owner", "Run commands"],
    ];
    for (const [name, place, seen] of views) {
      await goTo(page, place);
      await shown(page, name, seen);
      await keepPicture(page, `${name}-${size}-${colorScheme}`);
      await expectAccessible(page, name);
      await expectNoOverflow(page, name);
    }
    expect(troubles).toEqual([]);
    await main.close();
  });
});

it.skipIf(noBrowser)(
  "the first view takes 150 kB at most, and asks for what is seldom opened later",
  async () => {
    const { served } = await inspectedHost();
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
  },
);

/** What is on the page, and in its fields. */
const TEXTS = `[
  document.querySelector("main")?.innerText,
  ...[...document.querySelectorAll("textarea, option")].map((field) => field.textContent),
].join(" ")`;

/** The words are there, wherever on the page, and nothing is on its way any more. */
async function shown(page: Page, name: string, text: string): Promise<void> {
  await expect.poll(() => page.evaluate(TEXTS), { message: name }).not.toContain("Loading …");
  await expect.poll(() => page.evaluate(TEXTS), { message: name }).toContain(text);
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
