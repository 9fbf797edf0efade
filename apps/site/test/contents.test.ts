import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { readContents } from "../src/navigation.ts";
import { documents, toPagePath, root } from "../src/pages.ts";

const sections = readContents();
const listed = sections.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages.map(({ page }) => page)));

test("docs/README.md names every document exactly once", () => {
  const pages = documents()
    .filter((path) => /\.(?:md|ts)$/.test(path))
    .map((path) => toPagePath(path)!)
    .filter((page) => page !== "index.md" && page !== "contents.md");
  const made = listed.filter((page) => !page.startsWith("reference/api/"));
  expect(made.toSorted()).toEqual(pages.toSorted());
});

test("every package has its page", () => {
  const packages = globSync("packages/*/package.json", { cwd: root }).map((path) => path.split("/")[1]!);
  expect(packages.filter((name) => !listed.includes(`packages/${name}.md`))).toEqual([]);
});
