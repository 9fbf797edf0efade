import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

const PAGE = "docs/reference/claims.md";
/** The documents of which promises are listed. */
const DOCUMENTS = [
  "contained-commands",
  "guard",
  "plugins",
  "sandboxes",
  "policy",
  "approvals",
  "undo",
  "durability",
  "serve",
  "mcp-servers",
].map((name) => `docs/guides/${name}.md`);

/** The cells of each row below a heading that `isMeant` takes, without the heads of tables. */
function rowsBelow(isMeant: (heading: string) => boolean): string[][] {
  return read(PAGE)
    .split(/^## /m)
    .filter((section, index) => index > 0 && isMeant(section.slice(0, section.indexOf("\n"))))
    .flatMap((section) => section.split("\n").filter((line) => /^\| .*`/.test(line)))
    .map((line) => line.slice(2, -2).split(" | "));
}

/** Text as a reader sees it: without marks of Markdown, and on one line. */
function plainText(text: string): string {
  return text.replaceAll(/`|\*\*|\]\([^)\s]+\)|\[(?=\w)/g, "").replaceAll(/\s+/g, " ");
}

/** What a file says. Of source files, lines that are comments are left out; code is not told from text. */
function wordsOf(file: string): string {
  const text = read(file);
  if (file.endsWith(".md")) return plainText(text);
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  return plainText(code);
}

function hasTest(file: string, name: string): boolean {
  const text = read(file);
  return ['"', "`"].some((quote) => text.includes(`${quote}${name}${quote}`));
}

const proven = rowsBelow((heading) => heading !== "Without a test");
const unproven = rowsBelow((heading) => heading === "Without a test");
const pathOf = (cell = "") => cell.replaceAll("`", "");

describe("a sentence with a test", () => {
  test.for(proven)("%s", (cells) => {
    expect(cells).toHaveLength(4);
    const [sentence = "", file = "", proof = "", name = ""] = cells;
    expect(wordsOf(pathOf(file))).toContain(plainText(sentence));
    expect(hasTest(pathOf(proof), name)).toBe(true);
  });
});

describe("a sentence without a test", () => {
  test.for(unproven)("%s", (cells) => {
    expect(cells).toHaveLength(3);
    const [sentence = "", file = "", reason = ""] = cells;
    expect(wordsOf(pathOf(file))).toContain(plainText(sentence));
    expect(reason.length).toBeGreaterThan(10);
  });
});

test("each sentence is listed once", () => {
  const sentences = [...proven, ...unproven].map(([sentence]) => sentence);
  expect(sentences.filter((one, index) => sentences.indexOf(one) !== index)).toEqual([]);
});

test.for([
  ...DOCUMENTS,
  "SECURITY.md",
  "README.md",
  "packages/inspector/page/strings/owner.ts",
  "packages/inspector/page/strings/calls.ts",
])("promises of %s are listed", (file) => {
  expect(proven.some(([, of]) => pathOf(of) === file)).toBe(true);
});
