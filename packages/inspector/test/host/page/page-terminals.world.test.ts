import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { createClientAt } from "../../support/inspector-client.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import { openPage, startBrowser } from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

/** Asks the terminal for all that one answers, and for reports about mouse and focus. What comes to its input is in a file. */
const ASKING = `
const { appendFileSync } = require("node:fs");
const ask = () => process.stdout.write(
  "\\x1b[6n\\x1b[c\\x1b[>c\\x1b[5n\\x1b[?6n\\x1b[?1$p\\x1b]10;?\\x07\\x1b[18t\\x1bP$qm\\x1b\\\\\\x1b[?1003h\\x1b[?1006h\\x1b[?1004h");
if (process.stdin.isTTY) process.stdin.setRawMode(true);
process.stdin.on("data", (data) => {
  appendFileSync("input.txt", data);
  if (String(data).includes("a")) process.stdout.write("\\x1b[6n again \\r\\n");
  if (String(data).includes("z")) process.stdout.write(" heard \\r\\n");
});
ask();
process.stdout.write("ready\\r\\n");
`;

const WAIT = { timeout: 60_000 };
interface Shown {
  output: { total: number };
}

async function asking(pty: boolean) {
  const inspected = await openHostWithPage();
  writeFileSync(join(inspected.folder, "asking.cjs"), ASKING);
  writeFileSync(join(inspected.folder, "input.txt"), "");
  const session = await inspected.host.openSession({ kind: "main", sessionKey: "cli:shop" });
  await session.call({ name: "exec", arguments: { command: "node asking.cjs", background: true, pty } });
  // It has asked before anybody looks.
  const api = createClientAt(inspected.served);
  await expect
    .poll(
      async () => (await api.get("/api/processes")).items.map((one: Shown) => one.output.total)[0] ?? 0,
      WAIT,
    )
    .toBeGreaterThan(70);
  const { page } = await openPage(browser, `${inspected.served.url}&/processes`);
  await page.getByRole("option", { name: /node asking/ }).click();
  const rows = page.locator(".xterm-rows");
  await expect.poll(() => rows.innerText(), WAIT).toContain("ready");
  // The mouse goes over it, and somebody points elsewhere again.
  const box = (await page.locator(".xterm-screen").boundingBox())!;
  for (const at of [10, 30, 50]) await page.mouse.move(box.x + at, box.y + at);
  const input = () => readFileSync(join(inspected.folder, "input.txt"), "utf8");
  const typed = () => session.ledger().filter(({ toolName }) => toolName === "process").length;
  return { page, rows, input, typed };
}

describe.skipIf(noBrowser !== undefined)("a visible command", () => {
  it("on a pipe receives keys of a person, and nothing from a terminal or mouse", async () => {
    const { page, rows, input, typed } = await asking(false);
    expect(typed()).toBe(0);
    await page.locator(".xterm-helper-textarea").focus();
    await page.keyboard.type("a");
    await expect.poll(() => rows.innerText(), WAIT).toContain("again");
    await page.keyboard.type("z");
    await expect.poll(() => rows.innerText(), WAIT).toContain("heard");
    expect(input()).toBe("az");
  });

  it("on a terminal gets one answer from its session, with any number of viewers", async () => {
    const { page, rows, input, typed } = await asking(true);
    expect(typed()).toBe(0);
    await page.locator(".xterm-helper-textarea").focus();
    await page.keyboard.type("a");
    await expect.poll(() => rows.innerText(), WAIT).toContain("again");
    await page.keyboard.type("z");
    await expect.poll(() => rows.innerText(), WAIT).toContain("heard");
    // Where the cursor is, was asked twice, and about focus and mouse nothing was said.
    // oxlint-disable-next-line no-control-regex
    expect(input().match(/\u001B\[\d+;\d+R/g)).toHaveLength(2);
    // oxlint-disable-next-line no-control-regex
    expect(input()).not.toMatch(/\u001B\[(<|M|I|O)/);
  });
});
