import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { until } from "../../../../../test/support/until.ts";
import { goTo, openPage, startBrowser } from "../../../../inspector/test/host/page/support/open-page.ts";
import {
  bash,
  createEndlessCommand,
  exec,
  hostOptions,
  renderScreen,
  openScriptedChat,
} from "../../cli/chat/scripted-chat.ts";
import { start } from "../../support/haft.ts";
import { haftTerminals } from "../../support/terminal.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

const haftOnTerminal = haftTerminals();
const ENTER = "\r";
const CTRL_C = "\u0003";

async function openSession(page: Page, key: string): Promise<void> {
  await page.getByLabel("Sessions").getByText(key).first().click();
}

/** Allows on the page the one call that waits. */
async function allowOnPage(page: Page, shows: string): Promise<void> {
  await goTo(page, "#/approvals");
  await page.getByText(shows).first().waitFor();
  await page.getByRole("button", { name: "Allow once" }).first().click();
}

describe.skipIf(noBrowser !== undefined)("the page of a command", () => {
  test("haft chat --inspect act: shows a call and allows a pending call; the model continues; Ctrl-C ends both", async () => {
    const cwd = await temporaryFolder();
    const going = createEndlessCommand();
    const { options, endpoint } = await openScriptedChat([
      { calls: [exec("echo seen-on-the-page")] },
      { calls: [bash("touch allowed")] },
      { text: "Both are done." },
      { calls: [exec(going.command)] },
      { text: "Stopped." },
    ]);
    const terminal = await haftOnTerminal(["chat", "--inspect", "act", ...options, ...hostOptions(cwd)], cwd);
    const greeting = await terminal.until(/› /);
    const url = /http:\/\/127\.0\.0\.1:\d+\/\S*#[\w.-]+/.exec(renderScreen(greeting))?.[0];
    expect(url).toBeDefined();
    const { page, troubles } = await openPage(browser, url!);
    await terminal.type(`Go.${ENTER}`);
    await openSession(page, "cli:main");
    await page.getByText("echo seen-on-the-page").first().waitFor();
    await allowOnPage(page, "touch allowed");
    expect(renderScreen(await terminal.until(/Both are done\.[^]*› /))).toContain("Both are done.");
    expect(existsSync(join(cwd, "allowed"))).toBe(true);
    expect(endpoint.requests.at(-1)?.results[0]?.text).not.toMatch(/denied|waits/);
    expect(troubles).toEqual([]);

    await terminal.type(`On.${ENTER}`);
    await until("the command has begun", () => existsSync(join(cwd, "begun")));
    await terminal.type(CTRL_C);
    await terminal.until(/Stopped\.[^]*› /);
    await terminal.type(CTRL_C);
    await terminal.until(/Ctrl-C again to leave[^]*› /);
    await terminal.type(CTRL_C);
    expect((await terminal.end()).exitCode).toBe(0);
    await until("the command has ended", going.hasEnded);
    await expect(fetch(url!)).rejects.toThrow("fetch failed");
  });

  test("haft serve --http --inspect: shows a client's call and allows a pending call; SIGINT removes everything", async () => {
    const cwd = await temporaryFolder();
    const child = start(["serve", "--http", "0", "--inspect=act", "--no-config", ...hostOptions(cwd)], cwd);
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output.stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output.stderr += chunk));
    const printed = async (what: string, pattern: RegExp, from: keyof typeof output) => {
      await until(what, () => pattern.test(output[from]));
      return pattern.exec(output[from])![1]!;
    };
    const endpoint = await printed("it listens", /(http:\/\/\S+)/, "stdout");
    const token = readFileSync(join(getStateFolder(cwd), "serve", "token"), "utf8").trim();
    const client = new Client(
      { name: "tester", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(endpoint), { requestInit }));
    onTestFinished(() => client.close());
    writeFileSync(join(cwd, "a.txt"), "read by a client\n");
    await client.callTool({ name: "read", arguments: { path: "a.txt" } });

    const file = await printed("the address of its page is told", /is in (\/\S+)\n/, "stderr");
    const url = readFileSync(file, "utf8").trim();
    const { page, troubles } = await openPage(browser, url);
    await openSession(page, "mcp:own");
    await page.getByText("a.txt").first().waitFor();
    const pending = await client.callTool({ name: "bash", arguments: { command: "touch allowed" } });
    expect(JSON.stringify(pending)).toMatch(/approv/);
    await allowOnPage(page, "touch allowed");
    await until("the call has run", () => existsSync(join(cwd, "allowed")));
    const again = await client.callTool({ name: "ls", arguments: {} });
    expect(JSON.stringify(again.content)).toContain("allowed");
    expect(troubles).toEqual([]);

    const going = createEndlessCommand();
    const running = client.callTool({ name: "exec", arguments: { command: going.command } }).catch(() => {});
    await until("the command has begun", () => existsSync(join(cwd, "begun")));
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([130, null]);
    await running;
    await until("the command has ended", going.hasEnded);
    expect(readdirSync(join(getStateFolder(cwd), "inspect"))).toEqual([]);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });
});
