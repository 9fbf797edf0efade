import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { inspect } from "../../../src/host/inspect.ts";
import { busySessions } from "./support/busy-sessions.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import {
  expectAccessible,
  expectNoOverflow,
  goTo,
  openPage,
  PHONE,
  showNewer,
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

describe.skipIf(noBrowser !== undefined)("the keyboard", () => {
  it.each(["desktop", "phone"] as const)(
    "reaches a session, a call and the way back without restarting at the top: %s",
    async (size) => {
      const inspected = await openHostWithPage();
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

  it("focuses an opened view, and returns from a closed dialog", async () => {
    const inspected = await openHostWithPage();
    const { edited } = await busySessions(inspected);
    const { page } = await openPage(browser, inspected.served.url);
    await page.getByRole("option", { name: /cli:shop/ }).click();
    await page.getByRole("option", { name: /edit src\/server\.ts/ }).click();
    expect(page.url()).toContain(edited.toolCallId);
    const undo = page.getByRole("button", { name: "Restore files …" });
    await undo.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("2 files would be restored").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("Restore files …");
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await expect.poll(() => focused(page)).toBe("Policy");
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await keys.getByText("go to Approvals").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe("Policy");
    await page.getByRole("row", { name: "exec" }).getByRole("link").nth(1).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Close" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("ask");
  });

  it("focuses the next request after a decision, and each view announces new requests", async () => {
    const inspected = await openHostWithPage();
    const { group } = await busySessions(inspected);
    const { page } = await openPage(browser, `${inspected.served.url}&/approvals`);
    const deny = page.getByRole("article", { name: /rm -rf/ }).getByRole("button", { name: "Deny" });
    await expect.poll(() => deny.getAttribute("aria-disabled")).toBe("false");
    await deny.focus();
    await page.keyboard.press("Enter");
    await page.getByText("1 call waits").waitFor();
    await expect.poll(() => focused(page)).toMatch(/^write deploy\.md/);
    await goTo(page, "#/places");
    const said = page.getByRole("status").getByText("write waits for a decision. 2 calls wait now.");
    await Promise.all([
      said.waitFor({ state: "attached" }),
      group.call({ name: "write", arguments: { path: "again.md", content: "x\n" } }),
    ]);
  });
});

describe.skipIf(noBrowser !== undefined)("a terminal", () => {
  it("for reading scrolls by keys, can be read as text and copied, and Tab leaves it", async () => {
    const { host, served, folder } = await openHostWithPage({ record: "full" });
    const lines = Array.from({ length: 300 }, (_, at) => `\u001b[32mline ${at}\u001b[0m`);
    writeFileSync(join(folder, "lines.txt"), `${lines.join("\n")}\n\u05d0\u202e\n`);
    const session = await host.openSession();
    await session.call({ name: "exec", arguments: { command: "cat lines.txt" } });
    const { page, troubles } = await openPage(browser, served.url);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("option", { name: /main · main/ }).click();
    await page.getByRole("option", { name: /exec cat lines/ }).click();
    const drawn = async () => (await page.locator(".xterm-rows").innerText()).replaceAll("\u00a0", " ");
    await expect.poll(drawn).toContain("line 299");
    await page.locator(".xterm-helper-textarea").focus();
    await page.keyboard.press("Home");
    await expect.poll(drawn).toMatch(/^line 0$/m);
    await page.keyboard.press("PageDown");
    await expect.poll(drawn).not.toMatch(/^line 0$/m);
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("As text");
    await page.keyboard.press("Enter");
    const text = page.getByRole("region", { name: "Output as text" });
    await text.waitFor();
    expect(await text.innerText()).toMatch(/^line 0\nline 1\n[^]*line 299\n\u05d0\\u\{202e\}\s*$/);
    await expectAccessible(page, "output as text");
    await page.locator(".output").getByRole("button", { name: "Copy this text" }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied.split("\n").slice(0, 3)).toEqual(["line 0", "line 1", "line 2"]);
    expect(troubles).toEqual([]);
  });

  it("with only the start of the output says so", async () => {
    const { host, folder } = await openHostWithPage();
    writeFileSync(join(folder, "lines.txt"), "a line\n".repeat(1_000));
    const session = await host.openSession();
    await session.call({ name: "exec", arguments: { command: "cat lines.txt" } });
    // One that was not there while it ran has what the ledger has.
    const later = await inspect(host);
    onTestFinished(() => later.close());
    const { page } = await openPage(browser, later.url);
    await page.getByRole("option", { name: /main · main/ }).click();
    await page.getByRole("option", { name: /exec cat lines/ }).click();
    await page.locator(".output").getByText("Only the start was recorded.").waitFor();
    expect(await page.locator(".output").getByText("No output.").count()).toBe(0);
  });

  it("of a command takes the keyboard when opened, and F6 leaves it", async () => {
    const inspected = await openHostWithPage();
    await busySessions(inspected);
    const { page, troubles } = await openPage(browser, `${inspected.served.url}&/processes`);
    await page.getByRole("option", { name: /cat/ }).click();
    await page.locator(".xterm-screen").waitFor();
    expect(await focused(page)).toBe("Processes");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("Terminal of the command");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Terminal of the command");
    await page.keyboard.press("F6");
    expect(await focused(page)).toBe("Processes");
    expect(troubles).toEqual([]);
  });
});

describe.skipIf(noBrowser !== undefined)("on a small screen", () => {
  it("the plan of a call is readable next to its answers with fonts four times as large", async () => {
    const inspected = await openHostWithPage();
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
    const { x, y, width, height } = (await plan.boundingBox())!;
    const seen = await page.evaluate<string>(
      `document.elementFromPoint(${x + width / 2}, ${y + height / 2}).textContent`,
    );
    expect(seen).toContain("rm -rf build");
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

  it("a long name leaves room for the filter of its session", async () => {
    const { host, served } = await openHostWithPage();
    const session = await host.openSession({ kind: "main", sessionKey: `cli:${"very-long-".repeat(20)}` });
    await session.call({ name: "read", arguments: { path: "src/server.ts" } });
    const { page } = await openPage(browser, served.url);
    await page.getByRole("option", { name: /very-long/ }).click();
    const box = await page.getByRole("searchbox", { name: "Filter calls" }).boundingBox();
    expect(box?.width).toBeGreaterThan(100);
  });
});

describe.skipIf(noBrowser !== undefined)("the filter of calls", () => {
  it("does not return a user who left, and offers new calls", async () => {
    const inspected = await openHostWithPage();
    const { main } = await busySessions(inspected);
    const { page, troubles } = await openPage(browser, inspected.served.url);
    await page.getByRole("option", { name: /cli:shop/ }).click();
    const box = page.getByRole("searchbox", { name: "Filter calls" });
    await box.fill("nowhere");
    // Longer than what is typed waits before it is looked for, so that this is due before the page hears where it is.
    const untilDue = "const until = performance.now() + 400; while (performance.now() < until);";
    await page.evaluate(`location.hash = "#/places"; ${untilDue}`);
    await page.getByRole("heading", { name: "Where commands run" }).waitFor();
    expect(page.url()).toMatch(/#\/places$/);
    await page.goBack();
    await box.fill("nowhere");
    await page.getByRole("listbox", { name: "1 call" }).waitFor();
    await main.call({ name: "read", arguments: { path: "nowhere-else.txt" } });
    await showNewer(page, page.getByRole("listbox", { name: "2 calls" }));
    expect(troubles).toEqual([]);
  });
});

describe.skipIf(noBrowser !== undefined)("an address of a missing object", () => {
  it("shows an error, but not for a session that is only late", async () => {
    const { served } = await openHostWithPage();
    const { page } = await openPage(browser, `${served.url}&/timeline/0000nothing`);
    await page.getByText("There is no such session").waitFor();
    await page.getByText("No session yet").waitFor();
    expect(await page.getByText("Choose a session").count()).toBe(0);
  });
});
