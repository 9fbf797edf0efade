import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { chromiumProgram, noBrowser } from "../../../../test/support/chromium.ts";
import { formatReport } from "../../src/ledger/report/report.ts";
import { temporaryFolder } from "../support/haft.ts";
import { aCall, aRun, BEGUN, manyKinds } from "./records.ts";

async function page(calls = manyKinds()): Promise<string> {
  const run = {
    run: aRun(),
    async *calls() {
      yield* calls;
    },
  };
  let html = "";
  for await (const piece of formatReport("a report", [run], BEGUN + 1_300_000)) html += piece;
  return html;
}

/** Opens a page in a browser whose only way out is a proxy of ours. Answers what became of it, and what it asked the proxy for. */
async function browse(html: string): Promise<{ dom: string; asked: string[] }> {
  const folder = await temporaryFolder();
  const file = join(folder, "page.html");
  writeFileSync(file, html);
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end();
  });
  proxy.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end();
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const options = [
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update",
    `--disable-sync --disable-default-apps --proxy-server=http://127.0.0.1:${port} --virtual-time-budget=2000 --dump-dom`,
    `--user-data-dir=${join(folder, "profile")} file://${file}`,
  ];
  const child = spawn(
    chromiumProgram!,
    options.flatMap((line) => line.split(" ")),
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  let dom = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (dom += chunk));
  await once(child, "close");
  return { dom, asked };
}

describe.skipIf(noBrowser !== undefined)("a report in a browser", () => {
  it("asks nobody for anything, and what tools answered is text", async () => {
    const { dom, asked } = await browse(await page());
    expect(asked.filter((url) => url.includes("evil"))).toEqual([]);
    expect(dom).toContain("<title>a report</title>");
    expect(dom).toContain("&lt;script&gt;");
    expect(dom).not.toMatch(/<(?:script|img|iframe|object|link|form)\b/i);
    expect(dom).not.toMatch(/<[^>]*href="(?!#)/);
  });

  it("lets nothing run or be fetched, should markup get in all the same", async () => {
    const inside =
      '<img src="http://evil.example.com/a.png"><script>document.title = "ran"</script><style>h1 { background: url(http://evil.example.com/b.png) }</style>';
    const { dom, asked } = await browse((await page()).replace("<h1>", `${inside}<h1>`));
    expect(dom).toContain("<title>a report</title>");
    expect(asked.filter((url) => url.includes("evil"))).toEqual([]);
    // The same without its policy is what this test would see.
    const open = (await page())
      .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")
      .replace("<h1>", `${inside}<h1>`);
    const without = await browse(open);
    expect(without.dom).toContain("<title>ran</title>");
    expect(without.asked.filter((url) => url.includes("evil"))).not.toEqual([]);
  });
});

describe("a report", () => {
  it("shows what cannot be seen, and covers secrets", async () => {
    const html = await page();
    expect(html).toContain("\\u{202e}gnp.exe\\u{200b}");
    expect(html).not.toMatch(/[\u202e\u200b]/);
    expect(html).not.toContain("sk-abcdefghijklmnopqrstuvwxyz");
    const whole = aCall(1, {
      status: "pending",
      argsWhole: true,
      args: { password: "hunter2hunter2" },
      result: undefined,
    });
    expect(await page([whole])).not.toContain("hunter2hunter2");
  });

  it.for([
    ["ids", { toolCallId: '"><b>x', parentCallId: "<i>", approvalId: "<u>" }],
    ["tool and code", { toolName: "<b>x</b>", code: "<i>x</i>", outcome: "error", status: "failed" }],
    [
      "decision",
      { decision: { effect: "deny", id: "d", reason: "<b>r</b>", rule: "<i>u</i>", source: "<u>s</u>" } },
    ],
    ["hosts and people", { hosts: ["<b>h"], decidedBy: "<i>ada", grantIds: ["<u>g"] }],
    ["paths of changes", { toolName: "write", args: { path: "<b>p", content: "<i>c" }, result: undefined }],
  ] as const)("has no markup from %s", async ([, more]) => {
    const html = await page([aCall(1, more)]);
    expect(html.replace(/<\/?b>(?=\d|<|of|\w+ ?\w* ?(?:ms|s)<)/g, "")).not.toMatch(/<(?:i|u)>|<b>[xrhp]/);
  });
});
