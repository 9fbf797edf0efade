import { existsSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import { toSlug } from "../../../scripts/lib/markdown.ts";
import { drawDiagram } from "./draw-diagram.ts";
import { base, documents, toPagePath, root } from "./pages.ts";

/** A table with a row for each error. */
export const ERRORS = "reference/errors.md";

/**
 * Adapts Markdown for the site. Links to repository files lead to their pages; files without a page are
 * named, because the site cannot know the repository's address.
 */
export function readDocuments(md: MarkdownRenderer): void {
  const sources = new Map(documents().map((path) => [toPagePath(path), path]));
  const { code_inline: code, fence, image, text } = md.renderer.rules as Required<typeof md.renderer.rules>;
  md.renderer.rules.fence = (tokens, at, ...others) =>
    tokens[at]!.info === "mermaid"
      ? drawDiagram(tokens[at]!.content, `diagram-${at}`)
      : fence!(tokens, at, ...others);
  // Vue would interpret double braces.
  md.renderer.rules.code_inline = (...token) => code!(...token).replace(/^<code/, "<code v-pre");
  md.renderer.rules.text = (...token) => text!(...token).replaceAll("{{", "<span v-pre>{{</span>");
  // Pictures open at full size, because phones are narrower.
  md.renderer.rules.image = (tokens, at, ...others) => {
    const src = tokens[at]!.attrGet("src") ?? "";
    const drawn = image!(tokens, at, ...others);
    return src.startsWith("/pictures/")
      ? `<a class="picture" href="${base}${src.slice(1)}" target="_blank">${drawn}</a>`
      : drawn;
  };
  // Without a title, a header cell would be empty for screen readers.
  md.core.ruler.push("columns-without-title", ({ tokens }) => {
    for (const [at, token] of tokens.entries()) {
      const isEmpty = token.type === "th_open" && tokens[at + 1]?.content === "";
      if (isEmpty) token.tag = tokens[at + 2]!.tag = "td";
    }
  });
  // Codes can be linked.
  md.core.ruler.push("errors-by-code", ({ tokens, env }) => {
    if ((env as { relativePath?: string }).relativePath !== ERRORS) return;
    for (const [at, token] of tokens.entries()) {
      const [cell] = tokens[at + 2]?.children ?? [];
      if (token.type === "tr_open" && cell?.type === "code_inline") token.attrSet("id", toSlug(cell.content));
    }
  });
  md.core.ruler.push("links-of-the-repository", ({ tokens, env }) => {
    const { relativePath = "" } = env as { relativePath?: string };
    const source = sources.get(relativePath);
    for (const token of source === undefined
      ? []
      : tokens.flatMap((each) => [each, ...(each.children ?? [])]))
      if (token.type.startsWith("html_")) expectKnownElements(token.content, source!);
    for (const { children } of source === undefined ? [] : tokens)
      for (const [at, token] of (children ?? []).entries()) {
        const name = token.type === "link_open" ? "href" : token.type === "image" ? "src" : undefined;
        const target = name === undefined ? undefined : token.attrGet(name);
        if (target === undefined || target === null) continue;
        const place = placeOf(target, source!);
        if (place === undefined) continue;
        if (place.page === undefined) nameFile(children!, at, place.path);
        else if (name === "src" && place.page.startsWith("pictures/")) token.attrSet("src", `/${place.page}`);
        else token.attrSet(name!, besides(relativePath, place.page) + place.anchor);
      }
  });
}

/** Vue hides unknown elements, such as a name in angle brackets. */
function expectKnownElements(html: string, source: string): void {
  for (const [element, name = ""] of html.matchAll(/<\/?([a-z][\w-]*)[^>]*>/gi))
    if (!/^(?:br|sub|sup|kbd|details|summary)$/.test(name))
      throw new Error(`${source}: ${element} is no element that documents have. Put it into backticks.`);
}

/** A link's target, or `undefined` outside the repository and on the same page. */
function placeOf(
  target: string,
  source: string,
): { path: string; page: string | undefined; anchor: string } | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|#|\/)/i.test(target)) return undefined;
  const [file = "", anchor] = target.split("#");
  const path = normalize(join(dirname(source), decodeURIComponent(file))).replace(/\/$/, "");
  if (!existsSync(join(root, path))) return undefined;
  return { path, page: toPagePath(path), anchor: anchor === undefined ? "" : `#${anchor}` };
}

function besides(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

type Tokens = NonNullable<ReturnType<MarkdownRenderer["parse"]>[number]["children"]>;

/** Replaces a link by its words and the file's name as a tooltip. */
function nameFile(tokens: Tokens, open: number, path: string): void {
  const close = tokens.findIndex(({ type }, at) => at > open && type === "link_close");
  const [start, end] = [tokens[open]!, tokens[close]!];
  for (const token of [start, end]) Object.assign(token, { type: "html_inline", tag: "", nesting: 0 });
  start.content = `<span class="in-repository" title="In the repository: ${path}">`;
  end.content = "</span>";
}
