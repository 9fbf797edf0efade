import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import { delayAnswer, openPage, showNewer, startBrowser } from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

/** Lists, each with what its rows are looked for by. */
const LISTS = [
  { list: "sessions", place: () => "/timeline", answer: "**/api/runs?*", row: "chat:late" },
  {
    list: "calls of a session",
    place: (run: string) => `/timeline/${run}`,
    answer: "**/api/calls?*",
    row: "late.txt",
  },
  { list: "commands", place: () => "/processes", answer: "**/api/processes", row: "cat late.txt" },
  { list: "the ledger", place: () => "/ledger", answer: "**/api/calls?*", row: "late.txt" },
  { list: "approvals", place: () => "/approvals", answer: "**/api/approvals", row: "write late.txt" },
] as const;

/** A host with something of each kind, and what does one more of each. */
async function started() {
  const inspected = await openHostWithPage();
  const { host, folder } = inspected;
  const session = await host.openSession({ kind: "main", sessionKey: "cli:shop" });
  const call = (name: string, args: object) => session.call({ name, arguments: args });
  await call("read", { path: "src/server.ts" });
  await call("exec", { command: "cat", background: true });
  const more = async () => {
    writeFileSync(join(folder, "late.txt"), "late\n");
    await call("exec", { command: "cat late.txt -", background: true });
    const late = await host.openSession({ kind: "group", sessionKey: "chat:late" });
    await late.call({ name: "write", arguments: { path: "late.txt", content: "later\n" } });
    await call("read", { path: "late.txt" });
  };
  return { ...inspected, session, more };
}

const row = (page: Page, text: string) =>
  page.getByRole("option", { name: text }).or(page.getByRole("article", { name: text }));

describe.skipIf(noBrowser !== undefined)("events during the start of a page", () => {
  it.each(LISTS)("are in the list of $list if they arrive after its response", async (list) => {
    const { served, session, more } = await started();
    const released = Promise.withResolvers<void>();
    const { page, troubles } = await openPage(browser, `${served.url}&${list.place(session.opening)}`, {
      before: (opened) =>
        opened.route("**/api/events", async (route) => {
          await released.promise;
          await route.continue();
        }),
    });
    // Shown without events, after a while.
    await page.waitForResponse(list.answer);
    expect(await row(page, list.row).count()).toBe(0);
    await more();
    released.resolve();
    await row(page, list.row).first().waitFor();
    expect(troubles).toEqual([]);
  });

  it.each(LISTS)("are in the list of $list if they arrive before its response", async (list) => {
    const { served, session, more } = await started();
    const held = delayAnswer(list.answer);
    const { page, troubles } = await openPage(browser, `${served.url}&${list.place(session.opening)}`, {
      before: held.before,
    });
    await held.answered;
    await page.getByText("Live", { exact: true }).waitFor();
    await more();
    // Most likely all of it is heard by now; where it is not, it comes after the answer, which is the easy case.
    await sleep(200);
    held.release();
    if (list.list === "the ledger") await showNewer(page, row(page, list.row));
    await row(page, list.row).first().waitFor();
    expect(troubles).toEqual([]);
  });

  it("end a call that is still running in a delayed list", async () => {
    const { served, folder, session } = await started();
    const ending = session.call({
      name: "exec",
      // A slow machine needs longer than exec waits by default before the command goes on in the background.
      arguments: { command: "while [ ! -e go ]; do sleep 0.05; done; echo gone", yieldMs: 120_000 },
    });
    const held = delayAnswer("**/api/calls?*");
    const { page, troubles } = await openPage(browser, `${served.url}&/timeline/${session.opening}`, {
      before: held.before,
    });
    await held.answered;
    writeFileSync(join(folder, "go"), "");
    expect((await ending).kind).toBe("ok");
    await sleep(200);
    held.release();
    await page.getByRole("option", { name: /ok exec while/ }).waitFor();
    await page.getByRole("option", { name: /ok read src\/server\.ts/ }).waitFor();
    expect(await page.getByRole("option", { name: /running exec while/ }).count()).toBe(0);
    expect(troubles).toEqual([]);
  });
});
