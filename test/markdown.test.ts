import { describe, expect, test } from "vitest";
import { brokenLinks, codeBlocks } from "../scripts/lib/markdown.ts";

describe("brokenLinks", () => {
  const check = (text: string, others: Record<string, string> = {}) => {
    const files: Record<string, string> = { "docs/page.md": text, ...others };
    return brokenLinks("docs/page.md", {
      read: (path) => files[path] ?? "",
      exists: (path) => path in files,
    });
  };

  test("names a file that is not there, seen from the document's folder", () => {
    expect(check("[a](../README.md)")).toEqual(["docs/page.md: ../README.md does not exist"]);
    expect(check("[a](../README.md)", { "README.md": "" })).toEqual([]);
  });

  test("names an anchor without a heading, in this document and in others", () => {
    const other = { "docs/other.md": "# The life of a `call`\n\n## Same\n\n## Same\n" };
    expect(check("[a](#nope)", other)).toEqual(["docs/page.md: #nope names no heading"]);
    expect(check("[a](other.md#the-life-of-a-call) [b](other.md#same-1)", other)).toEqual([]);
    expect(check("[a](other.md#same-2)", other)).toHaveLength(1);
  });

  test("leaves the web, code and fenced examples alone", () => {
    const fenced = "````md\n```\n[a](nowhere.md)\n```\n[b](nowhere.md)\n````\n";
    expect(check(`[w](https://example.org/x.md) \`[c](nowhere.md)\`\n${fenced}`)).toEqual([]);
  });
});

describe("codeBlocks", () => {
  test("finds whole examples with the line they start at, and skips fragments", () => {
    const page = "# A\n\n```ts\nconst a = 1;\n```\n\n```ts fragment\na.b\n```\n\n```sh\nls\n```\n";
    expect(codeBlocks(page, "ts")).toMatchObject([{ line: 3, text: "const a = 1;\n" }]);
  });

  test("a shorter or other fence inside does not end a block", () => {
    const page = "````ts\n```\n~~~~\nx\n````\ny";
    expect(codeBlocks(page, "ts")).toMatchObject([{ text: "```\n~~~~\nx\n" }]);
  });
});
