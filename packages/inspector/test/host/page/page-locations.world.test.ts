import {
  createLocalTransport,
  createNode,
  createNodes,
  defineNodeCommand,
  type NodeTransport,
} from "@haft/nodes";
import { Type } from "@haft/plugin-sdk";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import {
  expectAccessible,
  expectNoOverflow,
  goTo,
  openPage,
  PHONE,
  startBrowser,
} from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

/** Two nodes, of which one is of a version that knows nothing of use. */
async function twoNodes() {
  const snap = defineNodeCommand({
    name: "camera.snap",
    description: "Takes a picture.",
    parameters: Type.Object({}),
    effects: ["read"],
    timeoutMs: 5_000,
    run: () => ({ content: [{ type: "text", text: "a picture" }], details: {} }),
  });
  const made = ["kitchen", "cellar"].map((name) => createNode({ id: name, name, commands: [snap] }));
  const inner = createLocalTransport(made);
  const transport: NodeTransport = {
    ...inner,
    async link(nodeId, limitMs) {
      const link = await inner.link(nodeId, limitMs);
      if (nodeId === "kitchen") return link;
      const { use: _, ...older } = link;
      return older;
    },
  };
  const nodes = createNodes({ transport });
  for (const { id } of made) await nodes.approve(id);
  onTestFinished(() => nodes.close());
  return nodes;
}

it.skipIf(noBrowser !== undefined)(
  "locations show the use and resources of nodes, and missing reports",
  async () => {
    const { served } = await openHostWithPage({ nodes: await twoNodes() });
    const { page, troubles } = await openPage(browser, served.url, { viewport: PHONE });
    await page.getByText("No session yet").waitFor();
    await goTo(page, "#/places");
    const kitchen = page.locator(".card", { hasText: "kitchen" });
    const cellar = page.locator(".card", { hasText: "cellar" });
    await kitchen.getByText("0 of 64").first().waitFor();
    await expect.poll(() => kitchen.innerText()).toMatch(/memory\s+\d[\d.]* MiB/);
    expect(await kitchen.innerText()).toMatch(/memory of the machine\s+[\d.]+ of [\d.]+ MiB/);
    expect(await kitchen.innerText()).toMatch(/camera\.snap\s+5 s, 1\.0 MiB/);
    expect(await kitchen.innerText()).toContain("approved, online");
    expect(await cellar.innerText()).toMatch(/use\s+not reported/);
    await expectAccessible(page, "places");
    await expectNoOverflow(page, "places");
    expect(troubles).toEqual([]);
  },
);
