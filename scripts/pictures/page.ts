import { createHost, inspect } from "haft";
// Photographs the inspector's page for the documents, over a real host with what real sessions did, into docs/pictures. Beside each
// picture stands what can be read on it. With --check nothing is written: a page on which something else is read is a failure.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { until } from "../../test/support/until.ts";
import { check, finish } from "../lib/checks.ts";
import { pnpm, root } from "../lib/workspace.ts";

const [DESKTOP, PHONE] = [
  { width: 1440, height: 820 },
  { width: 390, height: 780 },
];

const pictures = [
  { name: "page-timeline", place: "/timeline", size: DESKTOP, theme: "light", shows: "const port" },
  { name: "page-policy", place: "/policy", size: DESKTOP, theme: "dark", shows: "apply_patch" },
  { name: "page-approvals", place: "/approvals", size: PHONE, theme: "dark", shows: "2 calls wait" },
  { name: "page-owner", place: "/owner", size: DESKTOP, theme: "light", shows: "Run commands" },
] as const;

const folder = join(root, "docs/pictures");
mkdirSync(folder, { recursive: true });
await pnpm("--filter", "@haft/inspector", "exec", "vite", "build", "page", "--logLevel", "warn");
const place = realpathSync(mkdtempSync(join(tmpdir(), "haft-")));
const project = join(place, "shop");
mkdirSync(join(project, "src"), { recursive: true });
writeFileSync(
  join(project, "src/server.ts"),
  'import { serve } from "./serve.ts";\n\nconst port = 8080;\n\nserve({ port });\n',
);
const policy = join(place, "policy.yaml");
writeFileSync(policy, "sessions:\n  group:\n    grant: [write]\n    ask: [write]\n");
const host = await createHost({
  config: false,
  administratorPolicy: false,
  policy,
  workspaceDir: project,
  stateDir: join(place, "state"),
  approvalMode: "pending",
});
const served = await inspect(host, { act: true });
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
try {
  const runId = await work();
  for (const { name, place: at, size, theme, shows } of pictures)
    await check(`docs/pictures/${name}.png`, async () => {
      const to = at === "/timeline" ? `/timeline/${runId}/call_2` : at;
      const page = await open(browser, `${served.url}&${to}`, size, theme);
      await page.getByText(shows).first().waitFor();
      await until("all of it is there", async () => {
        const text = await page.evaluate<string>("document.body.innerText");
        return !text.includes("Loading …");
      });
      const read = readable(await page.evaluate<string>("document.body.innerText"));
      const file = join(folder, `${name}.txt`);
      if (!process.argv.includes("--check")) {
        await page.screenshot({ path: join(folder, `${name}.png`) });
        writeFileSync(file, read);
      } else if (readFileSync(file, "utf8") !== read)
        throw new Error(`${name} shows something else now: npm run pictures`);
      await page.context().close();
    });
} finally {
  await browser.close();
  await served.close();
  await host.close();
  rmSync(place, { recursive: true, force: true });
}
await finish();

/** What an agent did, and what waits; answers the run. */
async function work(): Promise<string> {
  const main = await host.openSession({ kind: "main", sessionKey: "cli:shop" });
  const call = (name: string, args: object) => main.call({ name, arguments: args });
  await call("read", { path: "src/server.ts" });
  await call("edit", {
    path: "src/server.ts",
    oldText: "const port = 8080;",
    newText: 'const port = Number(process.env.PORT ?? 8080);\nconst host = "127.0.0.1";',
  });
  await call("read", { path: "src/cart.ts" });
  await call("exec", { command: "grep -c port src/server.ts" });
  await call("write", { path: "notes/todo.md", content: "- ship it\n" });
  await call("exec", { command: "grep -c port src/server.ts" });
  await call("find", { pattern: "*.md" });
  const group = await host.openSession({ kind: "group", sessionKey: "chat:room-1" });
  await group.call({ name: "read", arguments: { path: "notes/todo.md" } });
  await group.call({ name: "exec", arguments: { command: "git status && rm -rf build" } });
  await group.call({ name: "write", arguments: { path: "notes/done.md", content: "- shipped\n" } });
  const token = served.url.split("#")[1]!;
  const runs = await fetch(new URL("/api/runs", served.url), {
    headers: { authorization: `Bearer ${token}` },
  });
  const { items } = (await runs.json()) as { items: { runId: string; sessionKey: string }[] };
  return items.find(({ sessionKey }) => sessionKey === "cli:shop")!.runId;
}

async function open(
  from: Browser,
  url: string,
  viewport: { width: number; height: number },
  colorScheme: "light" | "dark",
): Promise<Page> {
  const context = await from.newContext({
    viewport,
    colorScheme,
    reducedMotion: "reduce",
    deviceScaleFactor: 1.25,
  });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Without what is another each time: times, and where it lay. */
function readable(text: string): string {
  return text
    .replaceAll(place, "/home/ada")
    .replaceAll(/\b\d{1,2} \w{3} \d{4}, /g, "")
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "12:00:00")
    .replaceAll(/(?:< )?\b\d+(?:\.\d)? (?:ms|s|min)\b(?: \d+ s)?/g, "1 s")
    .replaceAll(/[ \t]+\n/g, "\n")
    .concat("\n");
}
