import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { busySessions } from "./support/busy-sessions.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import { openPage, startBrowser } from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

describe.skipIf(noBrowser !== undefined)("a run", () => {
  it.each(["html", "json", "jsonl"] as const)("is exported as a file: %s", async (format) => {
    const inspected = await openHostWithPage();
    const { main } = await busySessions(inspected);
    const { page, troubles } = await openPage(browser, `${inspected.served.url}&/ledger`, {
      before: (opening) => opening.addInitScript("delete window.showSaveFilePicker"),
    });
    await page.getByRole("button", { name: "Export …" }).click();
    const dialog = page.getByRole("dialog");
    const save = dialog.getByRole("button", { name: "Save" });
    expect(await save.isDisabled()).toBe(true);
    await dialog.locator(`option[value="${main.opening}"]`).waitFor({ state: "attached" });
    await dialog.getByLabel("Run").selectOption(main.opening);
    await dialog.getByLabel("As").selectOption(format);
    const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
    expect(download.suggestedFilename()).toBe(`haft-${main.opening}.${format}`);
    const text = readFileSync(await download.path(), "utf8");
    expect(text).toContain("src/server.ts");
    if (format === "json") JSON.parse(text);
    if (format === "jsonl") for (const line of text.trim().split("\n")) JSON.parse(line);
    if (format === "html") expect(text).not.toMatch(/<script>window\.hacked/);
    await dialog.waitFor({ state: "detached" });
    expect(troubles).toEqual([]);
  });

  it("is streamed to a chosen file, which does not exist after an error or a cancellation", async () => {
    const inspected = await openHostWithPage();
    const { main } = await busySessions(inspected);
    // Nobody can answer the browser's own dialog here: a file of its own takes the place of one that a person chose.
    const { page, troubles } = await openPage(browser, `${inspected.served.url}&/ledger`, {
      before: (opening) =>
        opening.addInitScript(`window.showSaveFilePicker = async ({ suggestedName }) => {
          if (window.unwanted) throw new DOMException("No", "AbortError");
          return (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
        }`),
    });
    const kept = (name: string) =>
      page.evaluate<string>(`navigator.storage.getDirectory()
        .then((root) => root.getFileHandle(${JSON.stringify(name)}))
        .then((file) => file.getFile()).then((file) => file.text()).catch(() => "none")`);
    await page.getByRole("button", { name: "Export …" }).click();
    const dialog = page.getByRole("dialog");
    const save = dialog.getByRole("button", { name: "Save" });
    await dialog.locator(`option[value="${main.opening}"]`).waitFor({ state: "attached" });
    await dialog.getByLabel("Run").selectOption(main.opening);
    await dialog.getByLabel("As").selectOption("jsonl");
    await page.evaluate("window.unwanted = true");
    await save.click();
    await expect.poll(() => save.isEnabled()).toBe(true);
    expect(await kept(`haft-${main.opening}.jsonl`)).toBe("none");
    await page.evaluate("window.unwanted = false");
    // As a browser has an answer whose connection was cut.
    await page.evaluate(`{
      const { fetch } = window;
      window.fetch = async (...given) => {
        window.fetch = fetch;
        const { body } = await fetch(...given);
        const reader = body.getReader();
        const pull = async (to) => {
          to.enqueue((await reader.read()).value.subarray(0, 100));
          to.error(new TypeError("network error"));
        };
        return new Response(new ReadableStream({ pull }));
      };
    }`);
    await save.click();
    await dialog.getByText("no file was saved").waitFor();
    expect(await kept(`haft-${main.opening}.jsonl`)).toBe("");
    await save.click();
    await dialog.waitFor({ state: "detached" });
    const text = await kept(`haft-${main.opening}.jsonl`);
    for (const line of text.trim().split("\n")) JSON.parse(line);
    expect(text).toContain("src/server.ts");
    expect(troubles).toEqual([]);
  });
});
