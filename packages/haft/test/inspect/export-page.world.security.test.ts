import type { CallRecord } from "@haft/core/kernel";
import { exportAsPage } from "@haft/inspector";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { buildPage } from "../../../../test/support/built-page.ts";
import { noBrowser, startChromium } from "../../../../test/support/chromium.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { watchPage } from "../../../../test/support/watched-page.ts";
import { createCall, createRun, createSampleCalls } from "../../../inspector/test/ledger/records.ts";
import { haftHere } from "../support/haft.ts";

const run = createRun();
let browser: Browser;
beforeAll(async () => {
  await buildPage();
  if (noBrowser === undefined) browser = await startChromium();
});
afterAll(() => browser?.close());

async function exported(
  calls: readonly CallRecord[] = createSampleCalls(),
  maxCharacters?: number,
): Promise<string> {
  const ofRun = {
    run,
    async *calls() {
      yield* calls;
    },
  };
  let html = "";
  for await (const piece of exportAsPage([ofRun], maxCharacters)) html += piece;
  return html;
}

function recordsIn(html: string): { call?: Record<string, unknown>; isCut?: true }[] {
  const [, lines = ""] = /<script type="application\/x-ndjson"[^>]*>\n([^<]*)<\/script>/.exec(html) ?? [];
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
}

/** Opens a page from disk. Troubles are errors and forbidden things. */
async function open(html: string): Promise<{ page: Page; troubles: string[]; requests: string[] }> {
  const file = join(await temporaryFolder(), "page.html");
  writeFileSync(file, html);
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  const troubles = watchPage(page, "null");
  const requests: string[] = [];
  page.on("request", (request) => request.url() !== url && requests.push(request.url()));
  await page.goto(url);
  return { page, troubles, requests };
}

describe.skipIf(noBrowser !== undefined)("an exported page in a browser", () => {
  it("opens from disk with every call, sends no requests, and shows results as text", async () => {
    const { page, troubles, requests } = await open(await exported());
    await page.getByRole("listbox", { name: "10 calls" }).waitFor();
    for (const [seq, text] of [
      [2, "return a + b;"],
      [3, "12 passed"],
      [4, "ada (command line)"],
      [5, "</pre></details><script>"],
      [10, "room-1"],
    ] as const) {
      await page.evaluate(`location.hash = "#/timeline/${run.runId}/call_${seq}"`);
      await page.locator(".call-body").getByText(text).first().waitFor();
      const markup = "script, style, img, iframe, object, link, form, a:not([href^='#'])";
      expect(await page.locator("#page").locator(markup).count()).toBe(0);
    }
    expect(await page.title()).toBe(`${run.sessionKey} · Haft`);
    const shown = await page.evaluate<string>("document.querySelector('#page').innerText");
    expect(shown).not.toMatch(/[\u202e\u200b]/);
    expect(await page.getByRole("button", { name: /^Restore files|^Answer/ }).count()).toBe(0);
    expect(requests).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("finds calls by words, tool and outcome", async () => {
    const { page } = await open(await exported());
    await page.getByLabel("Filter calls").fill("12 PASSED");
    await page.getByRole("listbox", { name: "1 call", exact: true }).waitFor();
    await page.getByLabel("Filter calls").fill("");
    await page.getByLabel("Any outcome").selectOption("blocked");
    const blocked = page.getByRole("listbox", { name: "1 call", exact: true });
    await blocked.waitFor();
    expect(await blocked.getByRole("option").count()).toBe(1);
  });

  it("runs and loads nothing from injected markup", async () => {
    const inside =
      '<img src="http://127.0.0.1:1/a.png"><script>document.title = "ran"</script><style>body { background: url(http://127.0.0.1:1/b.png) }</style>';
    const withMarkup = (await exported()).replace('<div id="page">', `${inside}<div id="page">`);
    const held = await open(withMarkup);
    await held.page.getByRole("listbox", { name: "10 calls" }).waitFor();
    expect(await held.page.title()).toBe(`${run.sessionKey} · Haft`);
    // The same without its policy is what this test would see.
    const without = await open(
      withMarkup
        .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")
        .replace(/<script type="module">[^]*?<\/script>/, ""),
    );
    expect(await without.page.title()).toBe("ran");
  });
});

describe("an exported page", () => {
  it("is written by haft ledger export into a file of that name", async () => {
    const cwd = await temporaryFolder();
    const args = (path: string) => JSON.stringify({ name: "read", arguments: { path } });
    await haftHere(["run", "--json"], { cwd, input: `${args("a.txt")}\n${args("b.txt")}\n` });
    expect(await haftHere(["ledger", "export", "last", "-o", "page.html"], { cwd })).toMatchObject({
      code: 0,
    });
    const html = readFileSync(join(cwd, "page.html"), "utf8");
    expect(html).toMatch(/^<!doctype html>/);
    expect(recordsIn(html)).toHaveLength(3);
  });

  it("masks secrets, and no record can end its element", async () => {
    const html = await exported();
    expect(html).not.toContain("sk-abcdefghijklmnopqrstuvwxyz");
    expect(html.match(/<\/script>/g)).toHaveLength(3);
    expect(recordsIn(html)).toHaveLength(11);
    const whole = createCall(1, {
      status: "pending",
      argsWhole: true,
      args: { password: "hunter2hunter2" },
      result: undefined,
    });
    expect(await exported([whole])).not.toContain("hunter2hunter2");
  });

  it("contains calls beyond the limit of a list, and says so", async () => {
    const calls = [1, 2, 3].map((seq) => createCall(seq));
    const records = recordsIn(await exported(calls, 1_000)).slice(1);
    expect(records.map(({ isCut }) => isCut)).toEqual([undefined, true, true]);
    expect(records.map(({ call }) => call?.["result"] !== undefined)).toEqual([true, false, false]);
    if (noBrowser !== undefined) return;
    const { page } = await open(await exported(calls, 1_000));
    await page.getByText("has no details of 2 calls").waitFor();
  });
});
