import { fc, test } from "@fast-check/vitest";
import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { printablePath, quotedPath } from "../../src/paths/path-text.ts";
import { read, ls, find, grep } from "../support/every-tool.ts";
import { bench, failure, texts } from "../support/tool-context.ts";

/** Would be seen as `good.exe.txt`, hides a mark, breaks a line, ends a terminal's title. */
const NAMES = ["good\u202etxt.exe", "mark\u200ber", "two\nlines", "title\u009c!", "isolate\u2066x"];
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069]/;

it("never shows a name that could be confused with another name", async () => {
  const { folder, call } = bench();
  mkdirSync(join(folder, "d"));
  for (const name of NAMES) writeFileSync(join(folder, "d", name), "needle\n");
  const answers = [
    ...texts(await call(ls, { path: "d", limit: 1 })),
    ...texts(await call(ls, { path: "d" })),
    ...texts(await call(find, { pattern: "*", limit: 1 })),
    ...texts(await call(find, { pattern: "*" })),
    ...texts(await call(grep, { pattern: "needle", limit: 1 })),
    ...texts(await call(grep, { pattern: "needle" })),
  ];
  for (const failed of [
    await failure(call(read, { path: "d" })),
    await failure(call(read, { path: "d/goodtxt.exe" })),
    await failure(call(read, { path: "d/marker.txt" })),
    await failure(call(ls, { path: "d/\u202emarker" })),
  ]) {
    answers.push(failed.message, failed.fix ?? "");
  }
  for (const answer of answers) expect(answer).not.toMatch(UNSEEN);
  expect(answers.join("\n")).toContain(String.raw`"d/good\u202etxt.exe"`);
});

test.prop([fc.string({ unit: codePoint })])("quotes a name as JSON on one line", (name) => {
  expect(JSON.parse(quotedPath(name))).toBe(name);
  expect(quotedPath(name)).not.toMatch(UNSEEN);
  expect(printablePath(name)).not.toMatch(/\n/);
});
