import { inspect } from "@haft/inspector";
import { createHost, type Host } from "haft";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { buildPage } from "../../test/support/built-page.ts";
import { startChromium } from "../../test/support/chromium.ts";
import { noopPlugin, makeCalls } from "./noop-tool.ts";

/** Calls of the earlier session. */
const CALLS = 100_000;
export const OLD_SESSION = "long-ago";

/** A host with records and a page. */
interface HostWithPage {
  host: Host;
  /** The page's deciding URL. */
  url: string;
  close: () => Promise<void>;
}

async function hostWithPage(fixtures: string): Promise<HostWithPage> {
  const workspaceDir = join(fixtures, "project");
  mkdirSync(workspaceDir, { recursive: true });
  const policy = join(fixtures, "policy.yaml");
  writeFileSync(policy, "{}\n");
  const host = await createHost({
    config: false,
    administratorPolicy: false,
    policy,
    workspaceDir,
    stateDir: join(fixtures, "state"),
    plugins: [noopPlugin],
    loopGuard: false,
  });
  const served = await inspect(host, { act: true });
  const close = async () => {
    await served.close();
    await host.close();
  };
  return { host, url: served.url, close };
}

/** Records a session of a hundred thousand calls, and builds a missing page. */
export async function recordCalls(fixtures: string): Promise<void> {
  await buildPage();
  const { host, close } = await hostWithPage(fixtures);
  const session = await host.openSession({ sessionKey: OLD_SESSION });
  await makeCalls(session, CALLS);
  await close();
}

/** Each page in the browser has a new profile. */
export async function openBrowser(fixtures: string): Promise<{
  place: HostWithPage;
  open: () => Promise<Page>;
  close: () => Promise<void>;
}> {
  const place = await hostWithPage(fixtures);
  const browser: Browser = await startChromium();
  return {
    place,
    async open() {
      for (const context of browser.contexts()) await context.close();
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      const page = await context.newPage();
      await page.goto(place.url);
      return page;
    },
    async close() {
      await browser.close();
      await place.close();
    },
  };
}

export function p95(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}
