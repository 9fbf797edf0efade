import { definePlugin, defineTool, image, Type } from "@haft/plugin-sdk";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32, deflateSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noBrowser } from "../../../../../test/support/chromium.ts";
import { openHostWithPage } from "./support/inspected-host.ts";
import { DESKTOP, goTo, saveScreenshot, openPage, PHONE, startBrowser } from "./support/open-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (noBrowser === undefined) browser = await startBrowser();
});
afterAll(() => browser?.close());

describe.skipIf(noBrowser !== undefined)("results", () => {
  it("an image is drawn with its own pixels, only on a canvas", async () => {
    const { host, served, folder } = await openHostWithPage({ record: "full" });
    writeFileSync(join(folder, "red.png"), redPicture(3, 2));
    const session = await host.openSession();
    const read = await session.call({ name: "read", arguments: { path: "red.png" } });
    const { page, troubles } = await openPage(browser, served.url);
    await goTo(page, `#/timeline/${session.opening}/${read.toolCallId}`);
    await page.getByRole("img", { name: /image\/png/ }).waitFor();
    const drawn = await page.evaluate(`(() => {
      const canvas = document.querySelector("canvas[aria-label*='image/png']");
      const point = canvas.getContext("2d").getImageData(1, 1, 1, 1).data;
      return { size: [canvas.width, canvas.height], point: [...point], images: document.images.length };
    })()`);
    expect(drawn).toEqual({ size: [3, 2], point: [255, 0, 0, 255], images: 0 });
    await saveScreenshot(page, "image");
    expect(troubles).toEqual([]);
  });

  it.each([
    ["is scaled down if it is large", 4_000, 2_000, { size: [1600, 800], said: "" }],
    [
      "is not decoded if it exceeds the memory of any machine",
      60_000,
      60_000,
      { size: [], said: "60000 × 60000 pixels" },
    ],
  ] as const)("an image %s", async (_what, width, height, expected) => {
    const { host, served } = await openHostWithPage({
      record: "full",
      plugins: [showing(hollowPicture(width, height))],
    });
    const session = await host.openSession();
    const shown = await session.call({ name: "show", arguments: {} });
    const { page, troubles } = await openPage(browser, served.url);
    await goTo(page, `#/timeline/${session.opening}/${shown.toolCallId}`);
    await page.locator(".picture").getByText(`image/png image`).waitFor();
    if (expected.said === "") await page.getByRole("img", { name: /image\/png/ }).waitFor();
    else await page.getByText(expected.said).waitFor();
    const size = await page.evaluate(
      `[...document.querySelectorAll("canvas:not([hidden])")].flatMap(({ width, height }) => [width, height])`,
    );
    expect(size).toEqual(expected.size);
    expect(troubles).toEqual([]);
  });

  it("an output of several MB is shown page by page, from the end to the start", async () => {
    const { host, served, folder } = await openHostWithPage();
    const lines = 400_000;
    writeFileSync(
      join(folder, "long.txt"),
      Array.from({ length: lines }, (_, at) => `line ${at}\n`).join("") + "the last of them\n",
    );
    const session = await host.openSession();
    const printed = await session.call({ name: "exec", arguments: { command: "cat long.txt" } });
    expect(printed.kind).toBe("ok");
    const { page, troubles } = await openPage(browser, served.url);
    await goTo(page, `#/timeline/${session.opening}/${printed.toolCallId}`);
    const rows = page.locator(".xterm-rows");
    const drawn = async () => (await rows.innerText()).replaceAll("\u00a0", " ");
    await expect.poll(drawn).toContain("the last of them");
    const pager = page.locator(".output .pager");
    expect(await pager.innerText()).toMatch(/of 4\.\d MB|of 5\.\d MB/);
    const earlier = pager.getByRole("button", { name: "Earlier" });
    const later = pager.getByRole("button", { name: "Later" });
    expect([await earlier.isEnabled(), await later.isEnabled()]).toEqual([true, false]);
    const state = () => pager.locator(".number").innerText();
    const seen = new Set([await state()]);
    while (await earlier.isEnabled()) {
      const before = await state();
      await earlier.click();
      await expect.poll(state).not.toBe(before);
      seen.add(await state());
    }
    expect(seen.size).toBeGreaterThan(10);
    expect(await state()).toMatch(/^0 /);
    await saveScreenshot(page, "long-output");
    await pager.getByRole("button", { name: "End" }).click();
    await expect.poll(drawn).toContain("the last of them");
    expect(troubles).toEqual([]);
  });
});

describe.skipIf(noBrowser !== undefined)("output of a running call", () => {
  it("appears once and in order, even while its start is fetched", async () => {
    const { host, served, folder } = await openHostWithPage();
    const session = await host.openSession();
    const steps = ["one", "two", "three"];
    const untilStep = (step: string) => `while [ ! -e ${step} ]; do sleep 0.05; done; echo "é ${step} é"`;
    const ending = session.call({
      name: "exec",
      // A slow machine needs longer than exec waits by default before the command goes on in the background.
      arguments: { command: ['echo "é zero é"', ...steps.map(untilStep)].join("; "), yieldMs: 120_000 },
    });
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { page, troubles } = await openPage(browser, served.url, {
      before: (opened) =>
        opened.route(/\/output\?from=0&max=2/, async (route) => {
          const response = await route.fetch();
          asked.resolve();
          await released.promise;
          await route.fulfill({ response });
        }),
    });
    await page.getByRole("option", { name: /main · main/ }).click();
    await page.getByRole("option", { name: /running exec/ }).click();
    await asked.promise;
    writeFileSync(join(folder, "one"), "");
    // Most likely heard of before the first page is there; else it comes behind it.
    await sleep(300);
    released.resolve();
    const drawn = async () => (await page.locator(".xterm-rows").innerText()).match(/é \w+ é/g);
    await expect.poll(drawn).toEqual(["é zero é", "é one é"]);
    writeFileSync(join(folder, "two"), "");
    await expect.poll(drawn).toEqual(["é zero é", "é one é", "é two é"]);
    writeFileSync(join(folder, "three"), "");
    expect(await ending).toMatchObject({ kind: "ok", details: { status: "completed", exitCode: 0 } });
    await expect.poll(drawn).toEqual(["é zero é", "é one é", "é two é", "é three é"]);
    await page.getByText("running, live output").waitFor({ state: "detached" });
    expect(await drawn()).toEqual(["é zero é", "é one é", "é two é", "é three é"]);
    expect(troubles).toEqual([]);
  });
});

describe.skipIf(noBrowser !== undefined)("complete runs", () => {
  it("of the same conversation are compared, with differing lines", async () => {
    const { host, served, folder } = await openHostWithPage();
    const round = async (text: string, more: object[]) => {
      writeFileSync(join(folder, "port.txt"), text);
      const session = await host.openSession({ kind: "main", sessionKey: "cli:compared" });
      for (const args of [{ path: "src/server.ts" }, { path: "port.txt" }, ...more])
        await session.call({ name: "read", arguments: args });
      await session.close();
      return session.opening;
    };
    const a = await round("port 8080\n", [{ path: "gone.txt" }]);
    const b = await round("port 9090\n", []);
    const { page, troubles } = await openPage(browser, `${served.url}&/ledger/compare`);
    const [left, right] = [page.getByLabel("Left"), page.getByLabel("Right")];
    await left.locator(`option[value="${a}"]`).waitFor({ state: "attached" });
    await left.selectOption(a);
    await right.selectOption(b);
    await page.getByText("1 differ").waitFor();
    await page.getByText("1 the same").waitFor();
    await page.getByText("1 only left").waitFor();
    const list = page.getByRole("listbox", { name: "Compare" });
    expect(await list.getByRole("option").count()).toBe(2);
    await list.getByRole("option", { name: /port\.txt/ }).click();
    const shown = page.getByRole("region", { name: "Compare" });
    await shown.getByText("port 8080").waitFor();
    await shown.getByText("port 9090").waitFor();
    await saveScreenshot(page, "compared");
    await page.getByLabel("Only differences").click();
    await expect.poll(() => list.getByRole("option").count()).toBe(3);
    // The address of what is seen is enough to see it again.
    expect(new URL(page.url()).hash).toContain(`a=${a}`);
    expect(troubles).toEqual([]);
  });
});

describe.skipIf(noBrowser !== undefined)("the printed page for an owner", () => {
  it.each([
    ["desktop", DESKTOP],
    ["phone", PHONE],
  ] as const)("prints all content without the frame: %s", async (size, viewport) => {
    const { served } = await openHostWithPage();
    const { page, troubles } = await openPage(browser, `${served.url}&/owner`, {
      viewport,
      colorScheme: "dark",
    });
    const letter = page.getByRole("article");
    await letter.waitFor();
    const onScreen = await letter.innerText();
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("nav").first().isVisible()).toBe(false);
    expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(false);
    expect(await letter.innerText()).toBe(onScreen);
    expect(await cutIn(page)).toEqual([]);
    // What is dark on the screen is ink on paper.
    expect(await page.evaluate(`getComputedStyle(document.querySelector("article")).color`)).toBe(
      "rgb(27, 31, 36)",
    );
    await saveScreenshot(page, `printed-${size}`);
    const sheets = (await page.pdf({ format: "A5" })).toString("latin1").match(/\/Type \/Page\b/g);
    expect(sheets?.length).toBeGreaterThan(1);
    expect(troubles).toEqual([]);
  });
});

/** Whatever is drawn less than whole, with the words in it: cut by itself, or by what it stands in. */
function cutIn(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const article = document.querySelector("article");
    const cut = [];
    for (let each = article; each !== null; each = each.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(each);
      const clips = overflowX !== "visible" || overflowY !== "visible";
      if (clips && (each.scrollHeight > each.clientHeight || each.scrollWidth > each.clientWidth)) cut.push(each.className);
    }
    for (const each of article.querySelectorAll("*")) {
      const { overflowX } = getComputedStyle(each);
      if (overflowX !== "visible" && each.scrollWidth > each.clientWidth) cut.push(each.textContent);
      if (each.getBoundingClientRect().right > innerWidth) cut.push(each.textContent);
    }
    return cut;
  })()`);
}

/** A plugin with a tool that answers with a picture, however large. */
function showing(picture: Buffer) {
  return definePlugin({
    id: "pictures",
    tools: [
      defineTool({
        name: "show",
        description: "Shows a picture.",
        parameters: Type.Object({}),
        effects: ["read"],
        execute: async () => ({ content: [image(picture, "image/png")], details: {} }),
      }),
    ],
  });
}

/** A PNG of so many points of which hardly any takes room: nothing but zeros, which pack well. */
function hollowPicture(width: number, height: number): Buffer {
  return packedPicture(
    width,
    height,
    deflateSync(Buffer.alloc(Math.min(height * (1 + width * 3), 24_002_000))),
  );
}

/** A PNG of red points. */
function redPicture(width: number, height: number): Buffer {
  const row = Buffer.from([0, ...Array.from({ length: width }, () => [255, 0, 0]).flat()]);
  return packedPicture(width, height, deflateSync(Buffer.concat(Array.from({ length: height }, () => row))));
}

function packedPicture(width: number, height: number, points: Buffer): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const parts = [chunk("IHDR", head), chunk("IDAT", points), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]);
}
