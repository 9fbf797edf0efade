import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatCompatibilityPage } from "../../scripts/lib/compatibility-page.ts";
import { openDifferenceFixture, type DifferenceFixture } from "./difference.ts";
import { differences } from "./differences.ts";

let place: DifferenceFixture;
beforeAll(async () => {
  place = await openDifferenceFixture();
});
afterAll(() => place.close());

describe.each(Object.entries(differences))("%s", (_topic, { rows }) => {
  test.for(rows.map((row) => [row.title, row] as const))("%s", async ([, { shows }]) => {
    await expect(shows(place)).resolves.toBeUndefined();
  });
});

test("each is a row of the page, once", () => {
  const all = Object.values(differences).flatMap(({ rows }) => rows);
  const page = formatCompatibilityPage(differences);
  const rows = page.split("\n").filter((line) => /^\| (?!---|what )/.test(line));
  expect(rows).toHaveLength(all.length);
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
  for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(6);
});
