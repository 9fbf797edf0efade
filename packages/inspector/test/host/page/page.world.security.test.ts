import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { inspect } from "../../../src/host/inspect.ts";
import { busySessions } from "./support/busy-sessions.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import { goTo, openPage, startBrowser } from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

describe.skipIf(noBrowser !== undefined)("a page with foreign texts", () => {
  it("removes the token from its address, and sends no request to other servers", async () => {
    const inspected = await openHostWithPage();
    await busySessions(inspected);
    const { page, troubles } = await openPage(browser, inspected.served.url);
    await page.getByRole("option", { name: /cli:shop/ }).waitFor();
    const token = new URL(inspected.served.url).hash.slice(1);
    expect(page.url()).not.toContain(token);
    expect(await page.evaluate("document.documentElement.outerHTML + document.cookie")).not.toContain(token);
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(token);
    expect(troubles).toEqual([]);
  });

  it("draws tool output as text, without scripts, links and changes of direction", async () => {
    const inspected = await openHostWithPage();
    const { printed, main } = await busySessions(inspected);
    const { page, troubles } = await openPage(browser, inspected.served.url);
    await page.getByRole("option", { name: /cli:shop/ }).click();
    await page.waitForURL(/#\/timeline\/\w+/);
    await goTo(
      page,
      `#/timeline/${page.url().split("#/timeline/")[1]!.split(/[/?]/)[0]!}/${printed.toolCallId}`,
    );
    const rows = page.locator(".xterm-rows");
    await expect.poll(() => rows.innerText()).toContain("<script>");
    const drawn = await rows.innerText();
    expect(drawn.replaceAll("\u00a0", " ")).toContain("user\\u{202e}gpj.exe");
    await page.getByRole("button", { name: "Result for the model" }).click();
    await page.getByText("onerror=").first().waitFor();
    const state = await page.evaluate(`({
      hacked: "hacked" in window,
      elsewhere: [...document.querySelectorAll("a")].filter(({ href }) => new URL(href).origin !== location.origin).length,
      scripts: [...document.querySelectorAll("script")].filter(({ src }) => src === "").length,
      turning: /[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText),
    })`);
    expect(state).toEqual({ hacked: false, elsewhere: 0, scripts: 0, turning: false });
    expect(await page.title()).toContain("Timeline · Haft");
    expect(troubles).toEqual([]);
    await main.close();
  });

  it("catches up without a loss after a cut connection", async () => {
    const servers = new Set<Server>();
    const see = (message: unknown) => servers.add((message as { server: Server }).server);
    subscribe("http.server.request.start", see);
    onTestFinished(() => void unsubscribe("http.server.request.start", see));
    const inspected = await openHostWithPage();
    const { main } = await busySessions(inspected);
    const { page } = await openPage(browser, inspected.served.url);
    await page.getByRole("option", { name: /cli:shop/ }).click();
    const list = page.getByRole("listbox", { name: /calls/ });
    await list.getByText("nowhere.txt").waitFor();
    const lost = page.getByText(/Connection lost/).first();
    const seen = lost.waitFor();
    for (let round = 0; round < 3; round++) {
      for (const server of servers) server.closeAllConnections();
      await main.call({ name: "ls", arguments: { path: "src" } });
      await main.call({ name: "find", arguments: { pattern: `*-${round}` } });
    }
    await seen;
    for (let round = 0; round < 3; round++) await list.getByText(`*-${round}`).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.getByRole("listbox", { name: "14 calls" }).count()).toBe(1);
    await main.close();
  });

  it("explains that the inspector was restarted, and accepts a new address", async () => {
    const inspected = await openHostWithPage();
    await busySessions(inspected);
    const { page } = await openPage(browser, inspected.served.url);
    await page.getByRole("option", { name: /cli:shop/ }).waitFor();
    const { port } = inspected.served;
    await inspected.served.close();
    const again = await inspect(inspected.host, { act: true, port });
    onTestFinished(() => again.close());
    await page
      .getByText("The inspector of this page has ended; another inspector now runs at this address.")
      .waitFor();
    await page.goto(again.url);
    await page.getByRole("option", { name: /cli:shop/ }).waitFor();
    expect(page.url()).not.toContain(new URL(again.url).hash.slice(1));
  });
});
