import { fc, test } from "@fast-check/vitest";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { buildLineTable, lineText } from "../../src/changes/text/line-table.ts";
import type { GrepToolDetails } from "../../src/grep/grep-types.ts";
import type { ReadTextDetails } from "../../src/read/read-result.ts";
import { read, grep } from "../support/every-tool.ts";
import type { Bench } from "../support/tool-context.ts";
import { bench, texts } from "../support/tool-context.ts";

const content = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.constantFrom("a", "é", " ", "\n", "\r", "\r\n", "\ufeff"), { maxLength: 14 }),
  )
  .map(([bom, parts]) => (bom ? "\ufeff" : "") + parts.join(""));

/** One folder for all runs: to make a workspace takes longer than to read a few lines. */
let shared: Bench | undefined;
let runs = 0;

test.prop([content], { numRuns: scaleRuns(300, 3) })(
  "numbers lines equally in read, grep and edit",
  async (text) => {
    const { folder, call } = (shared ??= bench());
    const path = `f${(runs += 1)}`;
    writeFileSync(join(folder, path), text);
    const table = buildLineTable(Buffer.from(text));
    const lines = Array.from({ length: table.count }, (_, line) => lineText(table, line));

    const { details } = await call<ReadTextDetails>(read, { path });
    expect(details.lines).toBe(lines.length);
    for (const [index, line] of lines.entries()) {
      const page = await call<ReadTextDetails>(read, { path, offset: index + 1, limit: 1 });
      expect(texts(page)[0]?.replace(/\n$/, "")).toBe(line);
    }
    const found = await call<GrepToolDetails>(grep, { pattern: "^", path });
    expect(found.details.matches.map((match) => match.text)).toEqual(lines);
  },
);

it("separates lines by carriage returns only in files without line feeds", async () => {
  const { folder, call } = bench();
  writeFileSync(join(folder, "old.txt"), "one\rtwo\rthree");
  writeFileSync(join(folder, "log.txt"), "10%\r20%\rdone\nnext\n");
  const old = await call<ReadTextDetails>(read, { path: "old.txt" });
  expect([texts(old)[0], old.details.lines]).toEqual(["one\ntwo\nthree", 3]);
  const second = await call<ReadTextDetails>(read, { path: "old.txt", offset: 2, limit: 1 });
  expect(texts(second)).toEqual(["two\n", "[Showing lines 2-2 of 3. Use offset=3 to continue.]"]);
  const log = await call<ReadTextDetails>(read, { path: "log.txt" });
  expect([texts(log)[0], log.details.lines]).toEqual(["10%\r20%\rdone\nnext\n", 2]);
});

it("reports a file with only a byte order mark", async () => {
  const { folder, call } = bench();
  writeFileSync(join(folder, "f"), "\ufeff");
  const result = await call<ReadTextDetails>(read, { path: "f" });
  expect(texts(result)).toEqual(["[The file is empty except for a byte order mark.]"]);
  expect(result.details).toMatchObject({ lines: 0, size: 3, encoding: "utf-8-bom", truncated: false });
});
