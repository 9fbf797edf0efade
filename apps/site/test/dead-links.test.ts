import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findDeadLinks } from "../src/dead-links.ts";

function site(files: Record<string, string>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-site-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test("a page, an anchor and a picture that are not there are named, with the page that links to them", () => {
  const folder = site({
    "index.html":
      '<a href="/a/gone.html">x</a> <a class="b" href="a/b.html#no">x</a> <img alt="" src="/no.svg">',
    "a/b.html": '<h2 id="yes">y</h2> <a href="#no">x</a> <a href="../gone/">x</a>',
  });
  expect(findDeadLinks(folder, "/").toSorted()).toEqual([
    "a/b.html: #no names nothing there",
    "a/b.html: ../gone/ does not exist",
    "index.html: /a/gone.html does not exist",
    "index.html: /no.svg does not exist",
    "index.html: a/b.html#no names nothing there",
  ]);
});

test("accepts links to folders, anchors and files below a base, and ignores the web", () => {
  const folder = site({
    "index.html": '<a href="/haft/a/">x</a> <a href="https://example.org/x">x</a> <link href="/haft/m.svg">',
    "a/index.html": '<a href="../#">x</a> <a href="./b.html#z%C3%A4h">x</a>',
    "a/b.html": '<p id="zäh"></p>',
    "m.svg": "",
  });
  expect(findDeadLinks(folder, "/haft/")).toEqual([]);
});

test("does not find a page of the base outside the base", () => {
  const folder = site({ "index.html": '<img src="/m.svg"> <a href="/haft/">x</a>', "m.svg": "" });
  expect(findDeadLinks(folder, "/haft/")).toEqual(["index.html: /m.svg does not exist"]);
});
