import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

const rows = read("docs/reference/claims.md")
  .split("\n")
  .filter((line) => /^\| .*`/.test(line))
  .map((line) => line.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$|`/g, "")));

test.for(rows)("%s", ([sentence = "", file = "", proof = "", name = ""]) => {
  expect(read(file)).toContain(sentence);
  expect(read(proof)).toContain(name);
});

test("the list is not empty, and says each sentence once", () => {
  const sentences = rows.map(([sentence]) => sentence);
  expect(sentences.length).toBeGreaterThan(5);
  expect(new Set(sentences).size).toBe(sentences.length);
});
