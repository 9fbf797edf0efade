import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { StartSubject, Suite } from "../suite.ts";
import { openBrowser, recordCalls, OLD_SESSION, p95 } from "../work/open-page.ts";

const KEYS = 60;
const MARKS = 40;
const PAUSE_MS = 50;
/** Writes at full speed until its session ends. */
const FLOOD = "yes 'a line that is as long as lines of programs often are, or so'";

/** Milliseconds from input to the end of the next frame. */
const WATCH_INPUT = `
globalThis.delays = [];
for (const kind of ["keydown", "wheel"])
  addEventListener(kind, ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => delays.push(performance.now() - timeStamp);
    port2.postMessage(0);
  }), { capture: true, passive: true });`;

/** The machine's time of each mark's first appearance. */
const WATCH_MARKS = `
globalThis.seen = {};
new MutationObserver((changes) => {
  for (const { target } of changes)
    for (const [, mark] of (target.textContent ?? "").matchAll(/mark-(\\d+)\\./g))
      seen[mark] ??= performance.timeOrigin + performance.now();
}).observe(document.body, { childList: true, subtree: true, characterData: true });`;

const opened: StartSubject = async (fixtures) => {
  const beside = await openBrowser(fixtures);
  return {
    async sample() {
      const page = await beside.open();
      await page.getByRole("option", { name: OLD_SESSION }).waitFor();
      const paint = await page.evaluate<number>(
        `performance.getEntriesByName("first-contentful-paint")[0].startTime`,
      );
      const files = await page.evaluate<{ name: string; encodedBodySize: number }[]>(
        `performance.getEntriesByType("resource").map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))`,
      );
      const assets = files.filter(({ name }) => !name.includes("/api/"));
      return {
        paint: paint * 1e6,
        bytes: assets.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      };
    },
    close: beside.close,
  };
};

const long: StartSubject = async (fixtures) => {
  const beside = await openBrowser(fixtures);
  return {
    async sample() {
      const page = await beside.open();
      await page.getByRole("option", { name: OLD_SESSION }).click();
      await page
        .getByRole("listbox", { name: /calls?$/ })
        .getByText("look")
        .first()
        .waitFor();
      await page.evaluate(WATCH_INPUT);
      for (let at = 0; at < KEYS; at++) await page.keyboard.press("j");
      const keys = await delaysOf(page);
      await page.mouse.move(720, 450);
      for (let at = 0; at < KEYS; at++) {
        await page.mouse.wheel(0, 3_000);
        await sleep(PAUSE_MS / 2);
      }
      const scrolls = await delaysOf(page);
      return { keys: p95(keys) * 1e6, scrolls: p95(scrolls) * 1e6 };
    },
    close: beside.close,
  };
};

async function delaysOf(page: Page): Promise<number[]> {
  const delays = await page.evaluate<number[]>(
    `new Promise((done) => setTimeout(() => done(delays.splice(0)), 200))`,
  );
  if (delays.length < KEYS / 2) throw new Error(`The page heard ${delays.length} of ${KEYS}.`);
  return delays;
}

const flooded: StartSubject = async (fixtures) => {
  const beside = await openBrowser(fixtures);
  let sessions = 0;
  return {
    async sample() {
      const sessionKey = `flood-${++sessions}`;
      const session = await beside.place.host.openSession({ sessionKey });
      const outcome = await session.call({ name: "exec", arguments: { command: FLOOD, background: true } });
      if (outcome.kind !== "ok") throw new Error(JSON.stringify(outcome));
      const page = await beside.open();
      await page.getByRole("option", { name: sessionKey }).click();
      await page
        .getByRole("listbox", { name: /calls?$/ })
        .getByText("exec")
        .first()
        .waitFor();
      await page.evaluate(WATCH_MARKS);
      const begun: number[] = [];
      for (let mark = 0; mark < MARKS; mark++) {
        await sleep(PAUSE_MS);
        begun.push(performance.timeOrigin + performance.now());
        await session.call({ name: "look", arguments: { path: `mark-${mark}.ts` } });
      }
      await sleep(1000);
      const seen = await page.evaluate<Record<string, number>>("seen");
      await session.close();
      const delays = begun.flatMap((at, mark) => (seen[mark] === undefined ? [] : [seen[mark] - at]));
      if (delays.length < MARKS) throw new Error(`${delays.length} of ${MARKS} calls were seen.`);
      return { shown: p95(delays) * 1e6 };
    },
    close: beside.close,
  };
};

/** @param rules a different edit each time */
const tried =
  (rules: (edit: number) => string): StartSubject =>
  async (fixtures) => {
    const { place, close } = await openBrowser(fixtures);
    const { origin, hash } = new URL(place.url);
    const ask = (path: string, body?: object) =>
      fetch(`${origin}${path}`, {
        headers: { authorization: `Bearer ${hash.slice(1)}`, "content-type": "application/json" },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
    const { files } = (await (await ask("/api/policy")).json()) as { files: { id: string }[] };
    let edits = 0;
    return {
      async sample() {
        const edit = { id: files[0]!.id, text: rules(++edits) };
        const begun = performance.now();
        await (await ask("/api/policy/try", edit)).text();
        const cells = performance.now();
        const reader = (await ask("/api/policy/replay", edit)).body!.getReader();
        const { value } = await reader.read();
        const calls = performance.now();
        if (value === undefined || value.length === 0) throw new Error("No call of the past came.");
        await reader.cancel();
        const lookedFor = performance.now();
        await (await ask("/api/policy/lint", edit)).text();
        const programs = performance.now() - lookedFor;
        return { cells: (cells - begun) * 1e6, calls: (calls - cells) * 1e6, programs: programs * 1e6 };
      },
      close,
    };
  };

export const suite: Suite = {
  name: "inspector",
  title: "The inspector's page, in Chromium",
  prepare: (fixtures) => recordCalls(fixtures),
  cases: [
    {
      name: "open the page",
      about: "With an empty cache.",
      rounds: 10,
      metrics: [
        { key: "paint", label: "first paint", unit: "time" },
        { key: "bytes", label: "compressed files", unit: "bytes" },
      ],
      subjects: { Haft: opened },
    },
    {
      name: "a session of 100,000 calls",
      about: `From input to the end of the next frame, 95th percentile of ${KEYS}.`,
      rounds: 5,
      metrics: [
        { key: "keys", label: "keys", unit: "time" },
        { key: "scrolls", label: "scrolling", unit: "time" },
      ],
      subjects: { Haft: long },
    },
    {
      name: "new call during a flood of output",
      about: `From the start of the call until the page shows it, 95th percentile of ${MARKS}.`,
      rounds: 5,
      metrics: [{ key: "shown", label: "", unit: "time" }],
      subjects: { Haft: flooded },
    },
    {
      name: "preview of a rule edit",
      about: "The edit changes the decision of all 100,000 calls.",
      rounds: 10,
      metrics: [
        { key: "cells", label: "sessions and tools", unit: "time" },
        { key: "calls", label: "first past calls", unit: "time" },
      ],
      subjects: { Haft: tried((edit) => `# edit ${edit}\ndeny: [look]\n`) },
    },
    {
      name: "preview of an edit with a new program",
      about: "The same, with a lookup of programs.",
      rounds: 10,
      metrics: [
        { key: "cells", label: "sessions and tools", unit: "time" },
        { key: "calls", label: "first past calls", unit: "time" },
        { key: "programs", label: "program warnings", unit: "time" },
      ],
      subjects: {
        Haft: tried(
          (edit) => `deny: [look]\nexec:\n  ask: on-miss\n  allow: ["no-such-program-${edit} *"]\n`,
        ),
      },
    },
  ],
};
