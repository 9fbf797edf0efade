import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { inspect } from "../../../src/host/inspect.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import { expectAccessible, goTo, saveScreenshot, openPage, startBrowser } from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

/** A page with a text that was typed into its file of rules, and not saved. */
async function typed({
  more = "deny: [grep]\n",
  administratorPolicy,
}: { more?: string; administratorPolicy?: string } = {}) {
  const inspected = await openHostWithPage(administratorPolicy === undefined ? {} : { administratorPolicy });
  const { page, troubles } = await openPage(browser, `${inspected.served.url}&/policy/edit`);
  const before = readFileSync(inspected.policyFile, "utf8");
  const editor = editorOf(page, inspected.policyFile);
  await editor.fill(`${before}${more}`);
  await page.getByText("3 cells change").waitFor();
  return { ...inspected, page, troubles, editor, before, text: `${before}${more}` };
}

const editorOf = (page: Page, file: string) => page.getByRole("textbox", { name: file });

/** Whether the browser asks before the page is left. */
async function asksBeforeLeaving(page: Page): Promise<boolean> {
  let asked = false;
  const hear = (dialog: { type: () => string; dismiss: () => Promise<void> }) => {
    asked ||= dialog.type() === "beforeunload";
    void dialog.dismiss().catch(() => undefined);
  };
  page.on("dialog", hear);
  // A question that is answered with no leaves the page where it is.
  await page.evaluate("void (location.search = '?left')").catch(() => undefined);
  await expect.poll(async () => asked || page.url().includes("?left")).toBe(true);
  page.off("dialog", hear);
  return asked;
}

describe.skipIf(noBrowser !== undefined)("unsaved text", () => {
  it("survives another view, another file, other rules and a reload, and is marked as unsaved", async () => {
    const folder = await temporaryFolder();
    const administratorPolicy = join(folder, "administrator.yaml");
    writeFileSync(administratorPolicy, "deny: [web_fetch]\n");
    const { page, host, policyFile, text, before, troubles } = await typed({ administratorPolicy });
    await page.getByText("Not saved. The changes are listed below.").waitFor();
    const unsaved = page.getByRole("link", { name: /Policy.*1 file is not saved/ });
    await goTo(page, "#/ledger");
    await unsaved.waitFor();
    await goTo(page, "#/policy/edit");
    expect(await editorOf(page, policyFile).inputValue()).toBe(text);
    const files = page.getByRole("combobox", { name: /^File/ });
    await files.selectOption({ label: `${administratorPolicy} (administrator's)` });
    await editorOf(page, administratorPolicy).waitFor();
    await files.selectOption({ label: `${policyFile} (policy) — not saved` });
    await expect.poll(() => editorOf(page, policyFile).inputValue()).toBe(text);
    // Other rules: the administrator's file was changed by hand, and read.
    writeFileSync(administratorPolicy, "deny: [web_search]\n");
    await host.reload();
    await goTo(page, "#/policy");
    await goTo(page, "#/policy/edit");
    await expect.poll(() => editorOf(page, policyFile).inputValue()).toBe(text);
    page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined));
    await page.reload();
    await expect.poll(() => editorOf(page, policyFile).inputValue()).toBe(text);
    await expectAccessible(page, "draft");
    expect(readFileSync(policyFile, "utf8")).toBe(before);
    expect(troubles).toEqual([]);
  });

  it("needs confirmation before the page closes, until it is saved or discarded", async () => {
    const { page, editor, text, policyFile } = await typed();
    expect(await asksBeforeLeaving(page)).toBe(true);
    expect(await editor.inputValue()).toBe(text);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. The rules are in force.").waitFor();
    expect(readFileSync(policyFile, "utf8")).toBe(text);
    await expect.poll(() => page.getByText("not saved").count()).toBe(0);
    expect(await asksBeforeLeaving(page)).toBe(false);
  });

  it("can be restored after it was discarded", async () => {
    const { page, editor, before, text } = await typed();
    await page.getByRole("button", { name: "Discard changes" }).click();
    await expect.poll(() => editor.inputValue()).toBe(before);
    await page.getByRole("button", { name: "Restore my version" }).click();
    await expect.poll(() => editor.inputValue()).toBe(text);
  });

  it("can be compared with a newer file, and the user chooses", async () => {
    const { page, editor, before, text, policyFile, host, troubles } = await typed();
    const theirs = `${before}deny: [find]\n`;
    writeFileSync(policyFile, theirs);
    await host.reload();
    const both = page.getByRole("region", { name: /This file was changed elsewhere/ });
    await both.getByText("deny: [find]").waitFor();
    await both.getByText("deny: [grep]").waitFor();
    await expect.poll(() => both.locator(".diff-row").count()).toBe(5);
    expect(await editor.inputValue()).toBe(text);
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await saveScreenshot(page, "changed-on-disk");
    await expectAccessible(page, "changed on disk");
    await both.getByRole("button", { name: "Use the file" }).click();
    await expect.poll(() => editor.inputValue()).toBe(theirs);
    await page.getByRole("button", { name: "Restore my version" }).click();
    await expect.poll(() => editor.inputValue()).toBe(text);
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => readFileSync(policyFile, "utf8")).toBe(text);
    // Nothing tells of it: it is found when it is saved.
    await editor.fill(`${text}# mine\n`);
    writeFileSync(policyFile, theirs);
    await editor.press("Control+s");
    await both.getByText("deny: [find]").waitFor();
    expect(readFileSync(policyFile, "utf8")).toBe(theirs);
    await both.getByRole("button", { name: "Keep my version" }).click();
    await both.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => readFileSync(policyFile, "utf8")).toBe(`${text}# mine\n`);
    expect(troubles.filter((trouble) => !trouble.includes("409"))).toEqual([]);
  });

  it("survives if it was typed during a save", async () => {
    const { page, editor, text, policyFile } = await typed();
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route("**/api/policy/file", async (route) => {
      if (route.request().method() !== "PUT") return route.continue();
      const response = await route.fetch();
      asked.resolve();
      await released.promise;
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "Save" }).click();
    await asked.promise;
    await editor.fill(`${text}# later\n`);
    released.resolve();
    await page.getByText("Not saved. The changes are listed below.").waitFor();
    await expect.poll(() => editor.inputValue()).toBe(`${text}# later\n`);
    expect(readFileSync(policyFile, "utf8")).toBe(text);
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => readFileSync(policyFile, "utf8")).toBe(`${text}# later\n`);
    await page.getByText("Saved. The rules are in force.").waitFor();
  });

  it("survives a new inspector whose address is opened in the same tab", async () => {
    const { page, editor, text, policyFile, served, host } = await typed();
    const { port } = served;
    await served.close();
    const again = await inspect(host, { act: true, port });
    onTestFinished(() => again.close());
    await page.getByText("Unsaved text is stored in this tab").filter({ hasText: policyFile }).waitFor();
    await page.evaluate(`location.href = ${JSON.stringify(again.url)}`);
    await page.getByRole("listbox", { name: "Sessions" }).or(page.getByText("No session yet")).waitFor();
    await goTo(page, "#/policy/edit");
    await expect.poll(() => editor.inputValue()).toBe(text);
  });

  it("can be copied if its file is missing", async () => {
    const { page, text, policyFile, troubles } = await typed();
    rmSync(policyFile);
    mkdirSync(dirname(policyFile), { recursive: true });
    await goTo(page, "#/ledger");
    await goTo(page, "#/policy/edit");
    const lost = page.getByRole("region", { name: "Not saved" });
    expect(await lost.getByRole("textbox").inputValue()).toBe(text);
    await lost.getByRole("button", { name: "Discard the text" }).click();
    await lost.waitFor({ state: "detached" });
    await expect.poll(() => page.getByText("not saved").count()).toBe(0);
    // That the file is gone is an answer that browsers write down.
    expect(troubles.filter((trouble) => !trouble.startsWith("console: Failed to load"))).toEqual([]);
  });
});
