import { createMarkdownRenderer } from "vitepress";
import { expect, test } from "vitest";
import { ERRORS, readDocuments } from "../src/read-documents.ts";

// Repository links and site links.

async function render(page: string, text: string): Promise<string> {
  const md = await createMarkdownRenderer(".", { config: readDocuments });
  return md.renderAsync(text, { path: page, relativePath: page, cleanUrls: false });
}

test.each([
  ["guides/policy.md", "[a](approvals.md#in-a-chat)", 'href="./approvals.html#in-a-chat"'],
  ["guides/policy.md", "[a](../../README.md)", 'href="./../haft.html"'],
  ["guides/policy.md", "[a](../../packages/core/README.md)", 'href="./../packages/core.html"'],
  ["guides/policy.md", "[a](../../packages/core)", 'href="./../packages/core.html"'],
  ["guides/clients/pi.md", "[a](../../../examples/)", 'href="./../../examples/"'],
  ["security.md", "[a](docs/guides)", 'href="./contents.html"'],
  ["guides/policy.md", "[a](https://example.org/x.md)", 'href="https://example.org/x.md"'],
  ["guides/policy.md", "[a](#layers)", 'href="#layers"'],
  [
    "guides/policy.md",
    "[`a`](../../packages/core/src/index.ts)",
    '<span class="in-repository" title="In the repository: packages/core/src/index.ts"><code v-pre>a</code></span>',
  ],
  ["guides/policy.md", "![a](../pictures/tools.svg)", '<a class="picture" href="/pictures/tools.svg"'],
])("in %s: %s", async (page, text, made) => {
  expect(await render(page, text)).toContain(made);
});

test("an error has the anchor of its code, and a column without a title no header", async () => {
  const html = await render(ERRORS, "| | b |\n| --- | --- |\n| `NOT_FOUND` | x |\n");
  expect(html).toContain('<tr id="not_found">');
  expect(html).toMatch(/<td><\/td>\s*<th>b<\/th>/);
});

test("keeps two braces, and requires code for a name in angle brackets", async () => {
  const html = await render("guides/policy.md", "`{{ a }}` and {{ b }}<br>");
  expect(html).toContain("<code v-pre>{{ a }}</code> and <span v-pre>{{</span> b }}<br>");
  await expect(render("guides/policy.md", "a <id> of it")).rejects.toThrow(
    "docs/guides/policy.md: <id> is no element that documents have. Put it into backticks.",
  );
  await expect(render("guides/policy.md", "<script>\nx()\n</script>\n")).rejects.toThrow(
    "<script> is no element",
  );
});

test("draws a diagram with its own names and requests no font", async () => {
  const two = await render("guides/policy.md", "```mermaid\ngraph LR\n  a[one] --> b[two]\n```\n".repeat(2));
  expect(two.match(/<svg [^]*?one[^]*?two[^]*?<\/svg>/g)).toHaveLength(2);
  expect(two).not.toMatch(/<style|https?:(?!\/\/www\.w3\.org)/);
  const ids = [...two.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
