import { fc, test } from "@fast-check/vitest";
import type { ToolResult } from "@haft/core";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import type { ReadTextDetails } from "../../src/read/read-result.ts";
import { createReadTool } from "../../src/read/read.ts";
import { bench, failure, texts } from "../support/tool-context.ts";
import type { Bench } from "../support/tool-context.ts";

const tool = createReadTool();

/** Text in pieces that make paging hard: long lines, empty lines, wide characters, clusters, both line ends. */
const piece = fc.oneof(
  fc.constantFrom("\n", "\r\n", "\n\n\n", "\r", "a", "é", "€", "😀", "e\u0301", "👩‍👩‍👧‍👦", "🇩🇪", "\u0600", "0"),
  fc.string({ unit: "grapheme", maxLength: 40 }).map((value) => value.replaceAll(/[\0\ufffd]/g, "")),
  fc
    .tuple(fc.constantFrom("x", "ü", "漢", "😀", "👩‍👩‍👧", "line\n", "zeile\r\n"), fc.nat(9_000))
    .map(([unit, times]) => unit.repeat(times)),
);
const content = fc
  .array(piece, { maxLength: 30 })
  .map((pieces) => pieces.join(""))
  // A file that begins with a mark has it stripped; that is another test's subject.
  .map((value) => value.replace(/^\ufeff+/, ""));

/** Every page of a file, following the continuations as a program would. */
async function allPages(
  { call }: Bench,
  path: string,
  limit?: number,
): Promise<{ text: string; details: ReadTextDetails }[]> {
  const pages: { text: string; details: ReadTextDetails }[] = [];
  let next: Record<string, unknown> | undefined = limit === undefined ? {} : { limit };
  while (next !== undefined) {
    const { kind: _, ...params }: Record<string, unknown> = next;
    const result: ToolResult<ReadTextDetails> = await call<ReadTextDetails>(tool, { path, ...params });
    const { details } = result;
    pages.push({ text: details.size === 0 ? "" : (texts(result)[0] ?? ""), details });
    expect(pages.length).toBeLessThan(20_000);
    expect(bytesOf(texts(result))).toBeLessThanOrEqual(details.truncation?.maxBytes ?? 128 * 1024);
    next = details.continuation;
  }
  return pages;
}

function bytesOf(parts: string[]): number {
  // As a model gets them: joined by a blank line.
  return Buffer.byteLength(parts.join("\n\n"));
}

/** A piece of a file as it is shown. Which byte ends a line, the whole file tells. */
function shown(text: string, file = text): string {
  return file.includes("\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\r", "\n");
}

test.prop([content], { numRuns: scaleRuns(150, 5) })(
  "the joined pages of a file equal the file",
  async (text) => {
    const ready = bench({ model: { contextTokens: 1 } });
    writeFileSync(join(ready.folder, "file"), text);
    const pages = await allPages(ready, "file");
    expect(pages.map((page) => page.text).join("")).toBe(shown(text));
    for (const { details } of pages) expect(details.lines).toBe(countLines(text));
  },
);

test.prop([content, fc.integer({ min: 1, max: 2_000 })], { numRuns: scaleRuns(100, 5) })(
  "the joined pages equal the file with a limit, and no page exceeds it",
  async (text, limit) => {
    const ready = bench({ model: { contextTokens: 1 } });
    writeFileSync(join(ready.folder, "file"), text);
    const pages = await allPages(ready, "file", limit);
    expect(pages.map((page) => page.text).join("")).toBe(shown(text));
    // Which byte ends a line, the whole file tells: a page may hold a part of a line with returns in it.
    const lineFeeds = text.includes("\n");
    for (const page of pages) {
      const lines = lineFeeds ? page.text.replaceAll("\r", " ") : page.text;
      expect(countLines(lines)).toBeLessThanOrEqual(limit);
    }
  },
);

test.prop([content], { numRuns: scaleRuns(150, 5) })(
  "no page begins or ends inside a character",
  async (text) => {
    const ready = bench({ model: { contextTokens: 1 } });
    writeFileSync(join(ready.folder, "file"), text);
    for (const page of await allPages(ready, "file")) {
      expect(page.text.isWellFormed()).toBe(true);
      expect(page.text).not.toContain("\ufffd");
    }
  },
);

test.prop([fc.constantFrom("👩‍👩‍👧‍👦", "🇩🇪", "e\u0301", "한", "✍🏽"), fc.nat(40)], { numRuns: scaleRuns(30, 2) })(
  "no page ends inside a grapheme cluster",
  async (cluster, shift) => {
    const ready = bench({ model: { contextTokens: 1 } });
    writeFileSync(join(ready.folder, "file"), "x".repeat(shift) + cluster.repeat(20_000));
    const segments = new Intl.Segmenter("en", { granularity: "grapheme" });
    for (const page of await allPages(ready, "file")) {
      const clusters = [...segments.segment(page.text)].map(({ segment }) => segment);
      expect(new Set(clusters).difference(new Set(["x", cluster])).size).toBe(0);
    }
  },
);

test.prop([content, fc.array(fc.tuple(fc.nat(400), fc.nat(40)), { maxLength: 12 })], {
  numRuns: scaleRuns(100, 4),
  // Beside a line feed a return ends no line, even where it is all there is of the last one.
  examples: [["\n\r", [[1, 0]]]],
})("reads any line from any character, in any order", async (text, places) => {
  const ready = bench();
  mkdirSync(join(ready.folder, "d"));
  writeFileSync(join(ready.folder, "d/file"), text);
  const lines = text.split(text.includes("\n") ? "\n" : "\r");
  for (const [line, character] of places) {
    const raw = lines[line];
    if (raw === undefined || (raw === "" && line === lines.length - 1)) continue;
    const cursor = Math.min(character, raw.replace(/\r$/, "").length);
    if (/[\udc00-\udfff]/.test(raw[cursor] ?? "")) continue;
    const result = await ready.call<ReadTextDetails>(tool, {
      path: "d/file",
      offset: line + 1,
      cursor,
      limit: 1,
    });
    const whole = shown(line === lines.length - 1 ? raw : `${raw}\n`, text);
    const page = texts(result)[0] ?? "";
    if (cursor === whole.length) expect(result.details.truncated).toBe(false);
    else expect(whole.slice(cursor, cursor + page.length)).toBe(page);
  }
});

/** More than any file here has, up to the absurd, and around every power of two at which something may wrap. */
const enormous = fc.oneof(
  fc.constantFrom(31, 32, 53).chain((bits) => fc.integer({ min: 2 ** bits - 3, max: 2 ** bits + 3 })),
  fc.integer({ min: 2 ** 24, max: Number.MAX_SAFE_INTEGER }),
  fc.constant(1e300),
);

test.prop([content, enormous], { numRuns: scaleRuns(60, 3) })(
  "treats a huge limit as no limit",
  async (text, limit) => {
    const ready = bench({ model: { contextTokens: 1 } });
    writeFileSync(join(ready.folder, "file"), text);
    const pages = await allPages(ready, "file", limit);
    expect(pages.map((page) => page.text)).toEqual((await allPages(ready, "file")).map((page) => page.text));
  },
);

test.prop([content, enormous, enormous], { numRuns: scaleRuns(60, 3) })(
  "reports a huge offset or cursor as past the end",
  async (text, far, limit) => {
    const ready = bench();
    writeFileSync(join(ready.folder, "file"), `x${text}`);
    const past = await ready.call<ReadTextDetails>(tool, { path: "file", offset: far, limit });
    expect(texts(past)).toEqual([expect.stringContaining(`[Nothing at offset=${far}: `)]);
    expect(past.details.truncated).toBe(false);
    const error = await failure(ready.call(tool, { path: "file", cursor: far, limit }));
    expect(error.code).toBe("INVALID_ARGUMENTS");
  },
);

function countLines(text: string): number {
  if (!text.includes("\n")) return text.includes("\r") ? countLines(shown(text)) : text === "" ? 0 : 1;
  return text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0);
}
