import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { busySessions } from "./support/busy-sessions.ts";
import { inspectedHost } from "./support/inspected-host.ts";
import {
  expectAccessible,
  expectNoOverflow,
  goTo,
  openPage,
  PHONE,
  startBrowser,
} from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

/** What has the keyboard, by its name or its text. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(() => { const { activeElement: it } = document; return it === document.body ? "nothing" : (it.ariaLabel ?? it.innerText); })()`,
  );

describe.skipIf(noBrowser !== undefined)("by keyboard alone", () => {
  it.each(["desktop", "phone"] as const)(
    "one goes to a session, a call and back, and is never at the top again: %s",
    async (size) => {
      const inspected = await inspectedHost();
      await busySessions(inspected);
      const { page, troubles } = await openPage(
        browser,
        inspected.served.url,
        size === "phone" ? { viewport: PHONE } : {},
      );
      await page.getByRole("option", { name: /cli:shop/ }).waitFor();
      // From wherever the page is: no list has the keyboard yet.
      expect(await focused(page)).toBe("nothing");
      await page.keyboard.press("j");
      await page.waitForURL(/#\/timeline\/\w+$/);
      await page
        .getByRole("listbox", { name: /calls?$/ })
        .getByText(/read|exec/)
        .first()
        .waitFor();
      await page.keyboard.press("j");
      await page.waitForURL(/#\/timeline\/\w+\/call_\d+/);
      const first = page.url();
      await page.keyboard.press("j");
      await expect.poll(() => page.url()).not.toBe(first);
      await expect.poll(() => focused(page)).not.toBe("nothing");
      await page.keyboard.press("Escape");
      await page.waitForURL(/#\/timeline\/\w+$/);
      await expect.poll(() => focused(page)).toMatch(/calls?$/);
      await page.keyboard.press("Escape");
      await expect.poll(() => focused(page)).toBe("Sessions");
      expect(troubles).toEqual([]);
    },
  );

  it("a view has the keyboard once it was gone to, and a dialog gives it back", async () => {
    const inspected = await inspectedHost();
    const { edited } = await busySessions(inspected);
    const { page } = await openPage(browser, inspected.served.url);
    await page.getByRole("option", { name: /cli:shop/ }).click();
    await page.getByRole("option", { name: /edit src\/server\.ts/ }).click();
    expect(page.url()).toContain(edited.toolCallId);
    const undo = page.getByRole("button", { name: "Put files back …" });
    await undo.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("2 files would be put back").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toContain("Put files back");
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await expect.poll(() => focused(page)).toBe("Policy");
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Everything by keyboard" });
    await keys.getByText("go to Approvals").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe("Policy");
    await page.getByRole("row", { name: "exec" }).getByRole("link").nth(1).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Close" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("ask");
  });

  it("an answer leaves the keyboard at the next question, and what begins to wait is said wherever the page is", async () => {
    const inspected = await inspectedHost();
    const { group } = await busySessions(inspected);
    const { page } = await openPage(browser, `${inspected.served.url}&/approvals`);
    const deny = page.getByRole("article", { name: /rm -rf/ }).getByRole("button", { name: "Deny" });
    await deny.focus();
    await page.keyboard.press("Enter");
    await page.getByText("1 call waits").waitFor();
    await expect.poll(() => focused(page)).toMatch(/^write deploy\.md/);
    await goTo(page, "#/places");
    const said = page.getByRole("status").getByText("write waits for an answer. There are 2 now.");
    await Promise.all([
      said.waitFor({ state: "attached" }),
      group.call({ name: "write", arguments: { path: "again.md", content: "x\n" } }),
    ]);
  });
});

describe.skipIf(noBrowser !== undefined)("where there is little room", () => {
  it("the plan of a call can be read beside its answers with letters four times as large", async () => {
    const inspected = await inspectedHost();
    await busySessions(inspected);
    // 1280 × 1024 at 400 %.
    const { page } = await openPage(browser, `${inspected.served.url}&/approvals`, {
      viewport: { width: 320, height: 256 },
    });
    const plan = page
      .getByRole("article", { name: /rm -rf/ })
      .getByText("ls src && rm -rf build")
      .last();
    await plan.scrollIntoViewIfNeeded();
    // What is on top at its place is the plan itself.
    const seen = await plan.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit === element || element.contains(hit);
    });
    expect(seen).toBe(true);
    for (const place of [
      "#/timeline",
      "#/policy/cell/group/commands%2Fexec",
      "#/policy/edit",
      "#/tools/offered/exec",
      "#/ledger",
      "#/owner",
    ]) {
      await goTo(page, place);
      await expect.poll(() => page.getByRole("main").innerText()).not.toContain("Loading …");
      await expectNoOverflow(page, place);
      await expectAccessible(page, place);
    }
  });

  it("a name of any length leaves room for the filter of its session", async () => {
    const { host, served } = await inspectedHost();
    const session = await host.openSession({ kind: "main", sessionKey: `cli:${"very-long-".repeat(20)}` });
    await session.call({ name: "read", arguments: { path: "src/server.ts" } });
    const { page } = await openPage(browser, served.url);
    await page.getByRole("option", { name: /very-long/ }).click();
    const box = await page.getByRole("searchbox", { name: "Filter calls" }).boundingBox();
    expect(box?.width).toBeGreaterThan(100);
  });
});

describe.skipIf(noBrowser !== undefined)("an address of what is not there", () => {
  it("says so, and is none of a session that is only late", async () => {
    const { served } = await inspectedHost();
    const { page } = await openPage(browser, `${served.url}&/timeline/0000nothing`);
    await page.getByText("There is no such session").waitFor();
    await page.getByText("No session yet").waitFor();
    expect(await page.getByText("Choose a session").count()).toBe(0);
  });
});
