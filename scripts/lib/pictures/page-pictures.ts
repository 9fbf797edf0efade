import { inspect } from "@haft/inspector";
import { createHost, type Host } from "haft";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { buildPage } from "../../../test/support/built-page.ts";
import { startChromium } from "../../../test/support/chromium.ts";
import { until } from "../../../test/support/until.ts";

const [DESKTOP, PHONE] = [
  { width: 1440, height: 820 },
  { width: 390, height: 780 },
];

/** Pictures of the inspector's page, with a text on each. */
export const pagePictures = [
  { name: "page-timeline", place: "/timeline", size: DESKTOP, theme: "light", shows: "const port" },
  { name: "page-policy", place: "/policy", size: DESKTOP, theme: "dark", shows: "apply_patch" },
  { name: "page-approvals", place: "/approvals", size: PHONE, theme: "dark", shows: "2 calls wait" },
  { name: "page-owner", place: "/owner", size: DESKTOP, theme: "light", shows: "Run commands" },
] as const;

export interface PagePicture {
  name: (typeof pagePictures)[number]["name"];
  /** The readable text is equal on all machines, unlike fonts. */
  text: string;
  page: Page;
}

/** Shows each picture in a browser, over a real host with real sessions. */
export async function* showPagePictures(): AsyncGenerator<PagePicture> {
  await buildPage();
  const place = realpathSync(mkdtempSync(join(tmpdir(), "haft-")));
  const ends: (() => unknown)[] = [() => rmSync(place, { recursive: true, force: true })];
  try {
    const host = await hostIn(place);
    ends.push(() => host.close());
    const served = await inspect(host, { act: true });
    ends.push(() => served.close());
    const browser = await startChromium();
    ends.push(() => browser.close());
    const call = await work(host);
    for (const { name, place: at, size, theme, shows } of pagePictures) {
      const context = await browser.newContext({
        viewport: size,
        colorScheme: theme,
        reducedMotion: "reduce",
        deviceScaleFactor: 1.25,
      });
      const page = await context.newPage();
      await page.goto(`${served.url}&${at === "/timeline" ? `${at}/${call}` : at}`);
      await page.getByText(shows).first().waitFor();
      const read = () => page.evaluate<string>("document.body.innerText");
      await until("all of it is there", async () => !(await read()).includes("Loading …"));
      yield { name, text: readable(await read(), place), page };
      await context.close();
    }
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

function hostIn(place: string): Promise<Host> {
  const project = join(place, "shop");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(
    join(project, "src/server.ts"),
    'import { serve } from "./serve.ts";\n\nconst port = 8080;\n\nserve({ port });\n',
  );
  const policy = join(place, "policy.yaml");
  writeFileSync(policy, "sessions:\n  group:\n    grant: [write]\n    ask: [write]\n");
  return createHost({
    config: false,
    administratorPolicy: false,
    policy,
    workspaceDir: project,
    stateDir: join(place, "state"),
    approvalMode: "pending",
  });
}

/** Plays calls; returns the pictured call's address. */
async function work(host: Host): Promise<string> {
  const main = await host.openSession({ kind: "main", sessionKey: "cli:shop" });
  const call = (name: string, args: object) => main.call({ name, arguments: args });
  await call("read", { path: "src/server.ts" });
  const edited = await call("edit", {
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
  return `${main.opening}/${edited.toolCallId}`;
}

/** Removes times and folders, which differ between runs. */
function readable(text: string, place: string): string {
  return text
    .replaceAll(place, "/home/ada")
    .replaceAll(/\b\d{1,2} \w{3} \d{4}, /g, "")
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "12:00:00")
    .replaceAll(/(?:< )?\b\d+(?:\.\d)? (?:ms|s|min)\b(?: \d+ s)?/g, "1 s")
    .replaceAll(/\bjust now\b/g, "1 s ago")
    .replaceAll(/[ \t]+\n/g, "\n")
    .concat("\n");
}
