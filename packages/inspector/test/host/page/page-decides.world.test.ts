import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { busySessions } from "./support/busy-sessions.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import { goTo, delayAnswer, openPage, PHONE, startBrowser } from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

describe.skipIf(noBrowser !== undefined)("decisions on a page", () => {
  it("are impossible with a read-only token", async () => {
    const inspected = await openHostWithPage();
    await busySessions(inspected);
    const { page } = await openPage(browser, `${inspected.served.lookUrl}&/approvals`);
    const once = page.getByRole("button", { name: "Allow once" }).first();
    await once.waitFor();
    expect(await once.isDisabled()).toBe(true);
    await page.keyboard.press("y");
    await page.getByText("2 calls wait").waitFor();
    expect(existsSync(join(inspected.folder, "deploy.md"))).toBe(false);
  });

  it("allow one call and deny another by keyboard, with a count in the title", async () => {
    const inspected = await openHostWithPage();
    const { group } = await busySessions(inspected);
    const ends: string[] = [];
    group.subscribe((event) => {
      if (event.type === "tool-end") ends.push(`${event.toolName} ${event.outcome.kind}`);
    });
    const { page, troubles } = await openPage(browser, `${inspected.served.url}&/approvals`);
    await page.getByText("2 calls wait").waitFor();
    await expect.poll(() => page.title()).toBe("(2) Approvals · Haft");
    // Too early a key is none: nobody has looked at the question yet.
    await page.getByRole("article").first().getByText("ls src && rm -rf build").first().waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.press("n");
        return page.title();
      })
      .toBe("(1) Approvals · Haft");
    await page.getByText("deploy.md").first().waitFor();
    await expect
      .poll(async () => {
        if ((await page.title()).startsWith("(")) await page.keyboard.press("y");
        return page.title();
      })
      .toBe("Approvals · Haft");
    await expect.poll(() => ends.toSorted()).toEqual(["exec blocked", "write ok"]);
    expect(readFileSync(join(inspected.folder, "deploy.md"), "utf8")).toBe("now\n");
    expect(troubles).toEqual([]);
  });

  it("ignore repeated keys and keys behind a dialog", async () => {
    const inspected = await openHostWithPage();
    const { group } = await busySessions(inspected);
    const ends: string[] = [];
    group.subscribe((event) => {
      if (event.type === "tool-end") ends.push(`${event.toolName} ${event.outcome.kind}`);
    });
    const { page, troubles } = await openPage(browser, `${inspected.served.url}&/approvals`);
    await page.getByText("2 calls wait").waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.up("n");
        await page.keyboard.down("n");
        return page.title();
      })
      .toBe("(1) Approvals · Haft");
    await page.getByRole("article").getByText("deploy.md").first().waitFor();
    // By now the next question has been there for long enough to be answered.
    await page.waitForTimeout(600);
    await page.keyboard.down("n");
    await page.keyboard.up("n");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("y");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("1 call waits").waitFor();
    await page.keyboard.press("y");
    await expect.poll(() => ends).toEqual(["exec blocked", "write ok"]);
    expect(troubles).toEqual([]);
  });

  it("ignore a click on a request that moved a moment ago", async () => {
    const inspected = await openHostWithPage();
    const { group, waiting } = await busySessions(inspected);
    const { page } = await openPage(browser, `${inspected.served.url}&/approvals`);
    const [first, second] = [
      page.getByRole("article", { name: /rm -rf/ }).getByRole("button", { name: "Deny" }),
      page.getByRole("article", { name: /deploy\.md/ }).getByRole("button", { name: "Deny" }),
    ];
    await expect.poll(() => first.getAttribute("aria-disabled")).toBe("false");
    await expect.poll(() => second.getAttribute("aria-disabled")).toBe("false");
    if (waiting.kind !== "pending") throw new Error(`It is ${waiting.kind}.`);
    // Somebody else answers the first one; whoever was about to do it clicks at once where the second one is by then.
    await page.evaluate(`(() => {
      const clicked = new MutationObserver(() => {
        const deny = [...document.querySelectorAll(".approval .bad")];
        if (deny.length !== 1) return;
        clicked.disconnect();
        deny[0].click();
        window.wasClicked = true;
      });
      clicked.observe(document.querySelector(".approvals"), { childList: true, subtree: true });
    })()`);
    await group.resolveApproval(waiting.approvalId, { decision: "deny" });
    await expect.poll(() => page.evaluate("window.wasClicked")).toBe(true);
    await page.getByText("1 call waits").waitFor();
    await second.click();
    await page.getByText("No call waits for a decision").waitFor();
  });

  it("keep a call that starts to wait while the list is fetched", async () => {
    const { host, served } = await openHostWithPage();
    const group = await host.openSession({ kind: "group", sessionKey: "chat:room-1" });
    const held = delayAnswer("**/api/approvals");
    const { page, troubles } = await openPage(browser, `${served.url}&/approvals`, { before: held.before });
    await held.answered;
    await page.getByText("Live", { exact: true }).waitFor();
    await group.call({ name: "write", arguments: { path: "deploy.md", content: "now\n" } });
    await page.getByText("1 call waits").waitFor();
    held.release();
    await page.locator(".grants").waitFor();
    expect(await page.title()).toBe("(1) Approvals · Haft");
    expect(troubles).toEqual([]);
  });

  it("report the first decision in the second of two tabs", async () => {
    const inspected = await openHostWithPage();
    await busySessions(inspected);
    const first = await openPage(browser, `${inspected.served.url}&/approvals`);
    // The second one does not hear of what the first one does.
    const second = await openPage(browser, `${inspected.served.url}&/approvals`, {
      viewport: PHONE,
      before: (page) => page.route("**/api/events", (route) => route.abort()),
    });
    const deny = (page: typeof first.page) =>
      page.getByRole("article", { name: /rm -rf/ }).getByRole("button", { name: "Deny" });
    await deny(second.page).waitFor();
    await deny(first.page).click();
    await first.page.getByText("1 call waits").waitFor();
    await deny(second.page).click();
    await second.page.getByText(/Already decided: denied by/).waitFor();
    await second.page.getByText("1 call waits").waitFor();
    expect(await first.page.getByText(/Already decided/).count()).toBe(0);
  });

  it("show the effects of a rule edit on cells and past calls, and save it", async () => {
    const inspected = await openHostWithPage();
    await busySessions(inspected);
    const { page, troubles } = await openPage(browser, `${inspected.served.url}&/policy/edit`);
    const editor = page.getByRole("textbox", { name: inspected.policyFile });
    await editor.waitFor();
    const before = readFileSync(inspected.policyFile, "utf8");
    await editor.fill(`${before}alow: [read]\n`);
    await page.getByText("The file cannot be used with these errors.").first().waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await editor.fill(`${before}deny: [grep]\n`);
    await page.getByText("3 cells change").waitFor();
    await page.getByRole("listbox", { name: "Past calls" }).getByText("grep").first().waitFor();
    expect(readFileSync(inspected.policyFile, "utf8")).toBe(before);
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => readFileSync(inspected.policyFile, "utf8")).toBe(`${before}deny: [grep]\n`);
    await goTo(page, "#/policy");
    await expect
      .poll(() => page.getByRole("row", { name: /^grep/ }).innerText())
      .toMatch(/deny\s+deny\s+deny/);
    expect(troubles).toEqual([]);
  });

  it("restore files after a preview", async () => {
    const inspected = await openHostWithPage();
    const { main, edited } = await busySessions(inspected);
    const { page } = await openPage(browser, inspected.served.url);
    await page.getByRole("option", { name: /cli:shop/ }).click();
    await page.getByRole("option", { name: /edit src\/server.ts/ }).click();
    await page.getByRole("button", { name: "Restore files …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2 files would be restored").waitFor();
    await dialog.getByRole("button", { name: "Restore" }).click();
    await dialog.getByText("2 files were restored.").waitFor();
    expect(readFileSync(join(inspected.folder, "src/server.ts"), "utf8")).toContain("const port = 8080;");
    expect(existsSync(join(inspected.folder, "notes/todo.md"))).toBe(false);
    expect(edited.kind).toBe("ok");
    await main.close();
  });

  it("write to a command and end it", async () => {
    const inspected = await openHostWithPage();
    await busySessions(inspected);
    const { page, troubles } = await openPage(browser, `${inspected.served.url}&/processes`);
    await page.getByRole("option", { name: /cat/ }).click();
    await page.locator(".xterm-screen").waitFor();
    await page.locator(".xterm-helper-textarea").focus();
    await page.keyboard.type("typed here");
    await page.keyboard.press("Enter");
    // Once by the terminal itself, and once by cat.
    await expect
      .poll(async () => (await page.locator(".xterm-rows").innerText()).match(/typed.here/g)?.length ?? 0)
      .toBe(2);
    await page.getByRole("button", { name: "Kill" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
    await page.getByText("No command runs").waitFor();
    expect(troubles).toEqual([]);
  });

  it("call a tool by hand in a separate folder", async () => {
    const inspected = await openHostWithPage();
    const { page, troubles } = await openPage(browser, `${inspected.served.url}&/tools/offered/write`);
    await page.getByLabel("path").fill("hello.txt");
    await page.getByLabel("content").fill("by hand\n");
    await page.getByRole("button", { name: "Explain the decision" }).click();
    await page.getByText("It would run.").waitFor();
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("committed: its changes are complete").waitFor();
    await page.locator(".file-diff").getByText("hello.txt").waitFor();
    expect(existsSync(join(inspected.folder, "hello.txt"))).toBe(false);
    expect(troubles).toEqual([]);
  });

  it("show the plan of a call by hand on separate lines", async () => {
    const inspected = await openHostWithPage({ policy: "sessions: { main: { ask: [exec] } }\n" });
    const { page } = await openPage(browser, `${inspected.served.url}&/tools/offered/exec`);
    await page.getByLabel("command").first().fill("echo by hand");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const plan = page.locator(".called .prose").first();
    await plan.waitFor();
    expect((await plan.innerText()).split("\n")[0]).toMatch(/^Command:/);
    // The command stands in a block of its own, and how it runs below it.
    const below = await page.locator(".called .prose").nth(1).innerText();
    expect(below.split("\n").slice(0, 2)).toEqual([
      expect.stringMatching(/^Host: /),
      expect.stringMatching(/^CWD: /),
    ]);
  });
});
