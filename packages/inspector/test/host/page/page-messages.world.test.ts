import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import { expectAccessible, goTo, openPage, PHONE, startBrowser } from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

it.skipIf(noBrowser !== undefined)(
  "the only session opens, shows the progress of a running call, and keeps its warnings",
  async () => {
    const go = Promise.withResolvers<void>();
    const say = defineTool({
      name: "say",
      description: "Says what it does.",
      parameters: Type.Object({ quick: Type.Optional(Type.Boolean()) }),
      effects: ["read"],
      async execute(_id, _params, _signal, onUpdate) {
        onUpdate?.({ content: [text("fetched 3 of 10\nfetched 7 of 10\n")], details: {} });
        await go.promise;
        return { content: [text("done")], details: {} };
      },
    });
    const { host, served } = await openHostWithPage({
      plugins: [definePlugin({ id: "saying", tools: [say] })],
    });
    const session = await host.openSession();
    await session.call({ name: "ls", arguments: { path: "." } });
    await vi.waitUntil(() => session.run);
    const { page, troubles } = await openPage(browser, served.url);
    await page.getByRole("option", { name: / ls/ }).waitFor();
    expect(await page.getByText("Choose a session").count()).toBe(0);
    const call = session.call({ id: "s", name: "say", arguments: {} });
    const row = page.getByRole("option", { name: /running say/ });
    await row.getByText("fetched 7 of 10").waitFor();
    await row.click();
    const pane = page.getByRole("region", { name: "Details" });
    await pane.getByText("fetched 3 of 10").waitFor();
    await pane.getByText("It has not ended yet.").waitFor();
    await expectAccessible(page, "a call that says something");
    go.resolve();
    await call;
    await pane.getByText("done").first().waitFor();
    await expect.poll(() => page.getByText("fetched 7 of 10").count()).toBe(0);
    // A call that waited could be a poll, which has other limits.
    for (let at = 0; at < 30; at++)
      await session.call({ id: `r${at}`, name: "say", arguments: { quick: true } });
    const warned = await firstWarned(served.url, session.opening);
    await goTo(page, `#/timeline/${session.opening}/${warned}`);
    await pane
      .getByText(/has now given the same result/)
      .first()
      .waitFor();
    await expectAccessible(page, "a call that was warned");
    // Whoever leaves it has left it.
    await goTo(page, "#/timeline");
    await page.getByText("Choose a session").waitFor();
    expect(troubles).toEqual([]);

    const phone = await openPage(browser, served.url, { viewport: PHONE });
    await phone.page.getByRole("option", { name: /main · main/ }).waitFor();
    expect(new URL(phone.page.url()).hash).not.toContain(session.opening);
  },
);

/** The first call that was warned, as the server has it. */
async function firstWarned(url: string, runId: string): Promise<string> {
  const { origin, hash } = new URL(url);
  const headers = { authorization: `Bearer ${hash.slice(1)}` };
  for (let at = 0; at < 30; at++) {
    const response = await fetch(`${origin}/api/runs/${runId}/calls/r${at}`, { headers });
    const { warnings } = (await response.json()) as { warnings?: unknown[] };
    if (warnings !== undefined) return `r${at}`;
  }
  throw new Error("No call was warned.");
}
