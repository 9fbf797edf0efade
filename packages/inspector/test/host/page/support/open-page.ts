import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Locator, Page, Route } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { buildPage } from "../../../../../../test/support/built-page.ts";
import { startChromium } from "../../../../../../test/support/chromium.ts";
import { PATIENCE_MS } from "../../../../../../test/support/until.ts";
import { barriersOn, watchPage, widerThanScreen } from "../../../../../../test/support/watched-page.ts";

const root = join(import.meta.dirname, "../../../../../..");
export async function startBrowser(): Promise<Browser> {
  await buildPage();
  return startChromium();
}

/** Where the tests leave what they saw; git ignores it. */
const pictures = join(root, "coverage/inspector-page");

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface OpenedPage {
  page: Page;
  /** What the console said that it should not, and requests that went elsewhere. */
  troubles: string[];
}

/** Opens an address in a browser's profile of its own, and watches what the page does. */
export async function openPage(
  browser: Browser,
  url: string,
  {
    viewport = DESKTOP,
    colorScheme = "light",
    before,
  }: BrowserContextOptions & { before?: (page: Page) => Promise<unknown> } = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  onTestFinished(async () => {
    // What a test held back may still be on its way.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  });
  page.setDefaultTimeout(PATIENCE_MS);
  const troubles = watchPage(page, new URL(url).origin);
  await before?.(page);
  await page.goto(url);
  return { page, troubles };
}

/** Holds back the first answer to such a request. */
export function delayAnswer(url: string): {
  /** For {@link openPage}. */
  before: (page: Page) => Promise<unknown>;
  /** Resolves when the host has answered. */
  answered: Promise<void>;
  /** Lets the page have it. */
  release: () => void;
} {
  const [answered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold = async (route: Route) => {
    const response = await route.fetch();
    answered.resolve();
    await released.promise;
    await route.fulfill({ response });
  };
  return {
    before: (page) => page.route(url, hold, { times: 1 }),
    answered: answered.promise,
    release: () => released.resolve(),
  };
}

/** Another place of the same page; a new address would be a new page. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
}

/** Nothing is wrong with the page for those who hear it, or have only a keyboard. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  expect({ where, barriers: await barriersOn(page) }).toEqual({ where, barriers: [] });
}

/** Nothing has to be scrolled to from side to side. */
export async function expectNoOverflow(page: Page, where: string): Promise<void> {
  expect({ where, wider: await widerThanScreen(page) }).toEqual({ where, wider: 0 });
}

export async function saveScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Asks for newer calls as often as they are offered, until it is there: they are heard of before they are recorded. */
export async function showNewer(page: Page, wanted: Locator): Promise<void> {
  const newer = page.getByRole("button", { name: "Show newer calls" });
  await newer.or(wanted).first().waitFor();
  await expect
    .poll(async () => {
      if (await newer.isVisible()) await newer.click({ timeout: 1_000 }).catch(() => undefined);
      return wanted.count();
    })
    .toBeGreaterThan(0);
}
