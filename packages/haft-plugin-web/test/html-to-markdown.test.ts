import { describe, expect, test } from "vitest";
import { htmlToMarkdown } from "../src/markdown/html-to-markdown.ts";

const BASE = "https://docs.example.com/guide/start";

function markdown(html: string, whole = true): string {
  return htmlToMarkdown(html, BASE, whole).text;
}

test.each([
  ["headings", "<h1>One</h1><h3> Three\n words </h3>", "# One\n\n### Three words"],
  ["paragraphs", "<p>One\n  two</p><p>three<br>four</p>", "One two\n\nthree\nfour"],
  ["emphasis", "a<b>b</b> <i> c </i><strong></strong><del>d</del>", "a**b** *c* ~~d~~"],
  ["code", "<p>Run <code>npm i</code>, or <kbd>x</kbd>.</p>", "Run `npm i`, or `x`."],
  [
    "links",
    '<a href="../a b">there</a> <a href="#x">here</a>',
    "[there](https://docs.example.com/a%20b) here",
  ],
  ["links with brackets", '<a href="/a(b)">x</a>', "[x](https://docs.example.com/a%28b%29)"],
  ["links that run code", '<a href="javascript:alert(1)">x</a><a href="data:text/html,y">y</a>', "xy"],
  [
    "a link around blocks",
    '<a href="/x"><h2>Title</h2><p>Text</p></a>',
    "## [Title](https://docs.example.com/x)\n\n[Text](https://docs.example.com/x)",
  ],
  [
    "links that never end",
    '<a href="/1">one<a href="/2">two',
    "[one](https://docs.example.com/1)[two](https://docs.example.com/2)",
  ],
  [
    "pictures",
    '<img alt="A [cat]" src="cat.png"><img src="no.png"><img alt="data" src="data:image/png;base64,x">',
    "![A cat](https://docs.example.com/guide/cat.png)data",
  ],
  [
    "lists",
    "<ul><li>one<li>two<ul><li>inner</ul></ul><ol><li>a</li><li>b</li></ol>",
    "- one\n- two\n  - inner\n1. a\n2. b",
  ],
  ["quotes", "<blockquote><p>one</p><p>two</p></blockquote>", "> one\n\n> two"],
  [
    "preformatted",
    '<pre><code class="language-ts">let a = 1;\n  b();\n</code></pre>',
    "```ts\nlet a = 1;\n  b();\n```",
  ],
  ["fences in it", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"],
  [
    "tables",
    "<table><tr><th>A<th>B|C</tr><tr><td>1</td><td><p>2</p><p>3</p></td></tr></table>",
    "| A | B\\|C |\n| --- | --- |\n| 1 | 2 3 |",
  ],
  [
    "tables in tables",
    "<table><tr><td><table><tr><td>in</td><td>side</td></tr></table></td><td>out</td></tr></table>",
    "| in side | out |\n| --- | --- |",
  ],
  ["definitions", "<dl><dt>Word<dd>Its meaning</dl>", "Word\n\n: Its meaning"],
  ["rules", "a<hr>b", "a\n\n---\n\nb"],
  ["entities", "&lt;b&gt; &amp; &eacute; &#x1F600; &bogus;", "<b> & é 😀 &bogus;"],
  [
    "what is no text",
    "<script>var a = '<p>x</p>'</script><style>p{}</style><template>t</template><p>text</p><svg><text>s</text></svg><button>b</button>",
    "text",
  ],
  [
    "what nobody sees",
    '<p hidden>a</p><p style="color:red; DISPLAY : none">b</p><i aria-hidden="true">c</i><!-- d --><p>seen</p>',
    "seen",
  ],
  ["ends that have no begin", "</p></div></b></table></ul>text</h1>", "text"],
  ["begins that have no end", "<div><p>a<b>b<i>c", "a**b*c***"],
  ["nothing", "", ""],
  ["no tags at all", "just  text", "just text"],
  ["broken tags", "<p <b>x</b", "x"],
])("%s", (_what, html, expected) => {
  expect(markdown(html)).toBe(expected);
});

test("uses the first base address of the page, if it is a web address", () => {
  const html = '<base href="/other/"><base href="https://evil.example.net/"><a href="x">x</a>';
  expect(markdown(html)).toBe("[x](https://docs.example.com/other/x)");
  expect(markdown('<base href="javascript:a"><a href="x">x</a>')).toBe(
    "[x](https://docs.example.com/guide/x)",
  );
});

describe("the main part", () => {
  const long = "words ".repeat(50).trim();

  test("is taken where the page says which it is, and has some text", () => {
    const html = `<title> The\n page </title><header>Top</header><nav>Menu</nav><main><nav>More</nav><p>${long}</p></main><footer>End</footer>`;
    expect(htmlToMarkdown(html, BASE, false)).toEqual({ text: long, title: "The page" });
    expect(markdown(html)).toBe(["Top", "Menu", "More", long, "End"].join("\n\n"));
  });

  test("otherwise uses the whole page without its frame", () => {
    expect(markdown(`<nav>Menu</nav><p>text</p><main>short</main><footer>End</footer>`, false)).toBe(
      "text\n\nshort",
    );
    expect(markdown(`<main><p>${long}`, false)).toBe(long);
  });
});

test("a page that is nested without end is cut, and says so", () => {
  const html = `<p>before</p>${"<div>".repeat(100_000)}<p>after</p>`;
  expect(htmlToMarkdown(html, BASE, true)).toEqual({ text: "before", isCut: true });
});

test.each([
  ["emphasis", "<b>x</b> "],
  ["emphasis around nothing", "<i> </i>"],
  ["links that never end", "<a href=x>y "],
  ["cells", "<td>x"],
  ["ends", "</p>"],
])("time grows with the length alone: %s", (_what, part) => {
  const time = (times: number): number => {
    const html = part.repeat(times);
    // Of this process alone: the machine may be busy with others.
    const before = process.cpuUsage();
    markdown(html);
    return process.cpuUsage(before).user;
  };
  time(10_000);
  const [short, long] = [time(10_000), time(100_000)];
  // Ten times as much: squared it would be a hundred times as long.
  expect(long).toBeLessThan(Math.max(short, 1_000) * 50);
});

test("removes invisible characters that are written as entities", () => {
  const hidden = "&#xE0041;&#x200b;&#8238;&#27;&#xE0100;";
  expect(htmlToMarkdown(`<title>t${hidden}</title><p>a${hidden}b`, "https://example.com/", true)).toEqual({
    title: "t",
    text: "ab",
  });
});

test.each([
  [
    "addresses that it shortens",
    `<base href="https://example.com/${"a/".repeat(950)}">${"<a href=b>c".repeat(350_000)}`,
  ],
  ["lines in many quotes", `${"<blockquote><ul>".repeat(12)}<pre>${"x\n".repeat(2_000_000)}`],
])("a page that becomes far longer than it is is cut, and says so: %s", (_what, html) => {
  const { text, isCut } = htmlToMarkdown(html, "https://example.com/", true);
  expect(isCut).toBe(true);
  expect(text.length).toBeLessThan(20 * 1024 * 1024);
});
