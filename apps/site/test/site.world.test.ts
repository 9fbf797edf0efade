import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { pnpm } from "../../../scripts/lib/workspace.ts";
import { noBrowser, startChromium } from "../../../test/support/chromium.ts";
import { PATIENCE_MS } from "../../../test/support/until.ts";
import { barriersOn, watchPage, widerThanScreen } from "../../../test/support/watched-page.ts";
import { serveFolder } from "./support/serve-folder.ts";

// Uses the built site in a browser, without external requests.

const dist = join(import.meta.dirname, "../dist");
const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
};
/** The paths of the start page, each with the heading of its page. */
const PATHS = [
  ["You write plugins", "Write plugins"],
  ["You build an agent", "Build an agent"],
  ["You need one tool", "Use one tool"],
  ["You use a coding agent", "Use a coding agent"],
] as const;

describe.skipIf(noBrowser !== undefined)("the site", () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveFolder>>;

  beforeAll(async () => {
    // A run of all tests has just built it; otherwise the cache may have it.
    if (process.env["HAFT_BUILT"] !== "1" || !existsSync(dist)) await pnpm("exec", "turbo", "run", "site");
    site = await serveFolder(dist);
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  /** The page records problems; its test must find none. */
  async function open(
    path: string,
    size: keyof typeof SIZES = "desktop",
    colorScheme: "light" | "dark" = "light",
  ): Promise<Page> {
    const page = await browser.newPage({ viewport: SIZES[size], colorScheme });
    page.setDefaultTimeout(PATIENCE_MS);
    const wrong = watchPage(page, new URL(site.url).origin);
    page.on("response", (response) => {
      if (response.status() >= 400) wrong.push(`${response.status()} for ${response.url()}`);
    });
    onTestFinished(async () => {
      await page.close();
      expect(wrong).toEqual([]);
    });
    await page.goto(site.url + path);
    // Vue now handles clicks.
    await page.waitForFunction("'__vue_app__' in document.querySelector('#app')");
    return page;
  }

  describe.each(["desktop", "phone"] as const)("on a %s", (size) => {
    test.each(PATHS)("the start page leads along: %s", async (title, heading) => {
      const page = await open("/", size);
      await page.getByRole("link", { name: title, exact: true }).click();
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      // Each continues to guides, and back to the contents.
      await page.locator(".vp-doc ol li a").first().click();
      await page.locator(".VPDoc h1").filter({ hasNotText: heading }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(/^\/guides\//);
    });

    test("a search finds a guide, an error and a name of the API", async () => {
      const page = await open("/", size);
      for (const [words, where] of [
        ["undo call", /\/guides\/undo/],
        ["OUTSIDE_WORKSPACE", /\/reference\/errors\.html#outside_workspace$/],
        ["createFileTools", /\/reference\/api\/tools-fs\.html#createfiletools$/],
      ] as const) {
        await page.locator(".VPNavBarSearch button").first().click();
        await page.getByRole("searchbox").fill(words);
        const results = page.locator("#localsearch-list a");
        await expect
          .poll(async () => results.evaluateAll((all) => all.map((each) => each.getAttribute("href") ?? "")))
          .toEqual(expect.arrayContaining([expect.stringMatching(where)]));
        await page.keyboard.press("Escape");
      }
    });

    test("nothing is wider than the screen", async () => {
      for (const path of ["/", "/guides/policy.html", "/reference/errors.html", "/reference/api/core.html"]) {
        const page = await open(path, size);
        expect({ path, wider: await widerThanScreen(page) }).toEqual({ path, wider: 0 });
      }
    });

    test.each(["light", "dark"] as const)("is accessible: %s", async (scheme) => {
      for (const path of ["/", "/guides/approvals.html"]) {
        expect(await barriersOn(await open(path, size, scheme))).toEqual([]);
      }
    });
  });

  test("tables, generated pages and other parts are accessible", async () => {
    for (const path of [
      "/start/coding-agents.html",
      "/reference/api/policy.html",
      "/architecture/approvals.html",
    ])
      expect(await barriersOn(await open(path))).toEqual([]);
  });

  test("links into the repository lead to pages of the site, or name files without a page", async () => {
    const page = await open("/guides/serve.html");
    await page.goto(`${site.url}/security.html`);
    await page.locator(".in-repository").first().waitFor();
    const hrefs = await page
      .locator(".vp-doc a")
      .evaluateAll((all) => all.map((each) => each.getAttribute("href") ?? ""));
    expect(hrefs.filter((href) => /\.(?:md|ts)(?:#|$)|\/packages\/[^/]+\/(?:src|test)/.test(href))).toEqual(
      [],
    );
  });

  test("a name in a declaration leads to its own description, also in another package", async () => {
    const page = await open("/reference/api/tools-fs.apply-patch.html");
    await page.locator("pre.declared a", { hasText: "AppliedPatch" }).first().click();
    await expect.poll(() => new URL(page.url()).hash).toBe("#appliedpatch");
    await page.goto(`${site.url}/reference/api/policy.html`);
    const others = page.locator('.vp-doc a[href*="core.html#"]');
    await others.first().click();
    await page.getByRole("heading", { level: 1, name: "@haft/core" }).waitFor();
  });
});
