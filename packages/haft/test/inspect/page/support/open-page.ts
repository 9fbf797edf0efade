import axe, { type AxeResults } from "axe-core";
import { execFile } from "node:child_process";
import { existsSync, globSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

const root = join(import.meta.dirname, "../../../../../..");
const inspector = join(root, "packages/inspector");

/** Debian's, and what other systems call it. */
const program = ["chromium", "chromium-browser", "google-chrome"]
  .flatMap((name) => (process.env["PATH"] ?? "").split(":").map((folder) => join(folder, name)))
  .find((path) => existsSync(path));
if (program === undefined) {
  const why = "No chromium on the PATH: the page of the inspector is not opened here.";
  if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(why);
  process.stderr.write(`${why}\n`);
}

/** There is nothing that could show the page. */
export const noBrowser = program === undefined;

export async function startBrowser(): Promise<Browser> {
  await buildPage();
  // Root has no sandbox of the browser's own; it sees nothing but pages of this machine.
  return chromium.launch({ executablePath: program!, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** Where the tests leave what they saw; git ignores it. */
const pictures = join(root, "coverage/inspector-page");

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface Opened {
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
): Promise<Opened> {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const troubles: string[] = [];
  const { origin } = new URL(url);
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      troubles.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin && !request.url().startsWith("blob:"))
      troubles.push(`request: ${request.url()}`);
  });
  await before?.(page);
  await page.goto(url);
  return { page, troubles };
}

/** Another place of the same page; a new address would be a new page. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
}

/** Nothing is wrong with the page for those who hear it, or have only a keyboard. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<AxeResults>("axe.run(document, { preload: false })");
  const violations = found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
  );
  expect({ where, violations }).toEqual({ where, violations: [] });
}

/** Nothing has to be scrolled to from side to side. */
export async function expectNoOverflow(page: Page, where: string): Promise<void> {
  const beyond = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  expect({ where, beyond }).toEqual({ where, beyond: 0 });
}

export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** The page is served from its build: it is made where there is none, or one of before the last change. */
async function buildPage(): Promise<void> {
  const built = join(inspector, "dist/page/index.html");
  const changed = globSync(["page/**/*.*", "package.json"], { cwd: inspector }).map(
    (path) => statSync(join(inspector, path)).mtimeMs,
  );
  if (existsSync(built) && statSync(built).mtimeMs > Math.max(...changed)) return;
  const vite = join(inspector, "node_modules/vite/bin/vite.js");
  await promisify(execFile)(process.execPath, [vite, "build", "page", "--logLevel", "warn"], {
    cwd: inspector,
  });
}
