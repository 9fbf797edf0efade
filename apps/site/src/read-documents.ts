import { existsSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import { base, documents, pageOf, root } from "./pages.ts";

/**
 * Has Markdown read as the site needs it. Documents link to files of the repository, as who reads them there expects: on the site
 * these links lead to the pages of those files; what has no page here is named instead, since a site cannot know where the
 * repository is.
 */
export function readDocuments(md: MarkdownRenderer): void {
  const sources = new Map(documents().map((path) => [pageOf(path), path]));
  const image = md.renderer.rules.image!;
  // Pictures can be opened by themselves, as large as they are: on a phone they are wider than the text.
  md.renderer.rules.image = (tokens, at, ...others) => {
    const src = tokens[at]!.attrGet("src") ?? "";
    const drawn = image(tokens, at, ...others);
    return src.startsWith("/pictures/")
      ? `<a class="picture" href="${base}${src.slice(1)}" target="_blank">${drawn}</a>`
      : drawn;
  };
  // A column without a title has no header cell: who hears the page would be told of nothing.
  md.core.ruler.push("columns-without-title", ({ tokens }) => {
    for (const [at, token] of tokens.entries()) {
      const isEmpty = token.type === "th_open" && tokens[at + 1]?.content === "";
      if (isEmpty) token.tag = tokens[at + 2]!.tag = "td";
    }
  });
  md.core.ruler.push("links-of-the-repository", ({ tokens, env }) => {
    const { relativePath = "" } = env as { relativePath?: string };
    const source = sources.get(relativePath);
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

/** What a link of a document means, or `undefined` where it leads out of the repository or stays on its page. */
function placeOf(
  target: string,
  source: string,
): { path: string; page: string | undefined; anchor: string } | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|#|\/)/i.test(target)) return undefined;
  const [file = "", anchor] = target.split("#");
  const path = normalize(join(dirname(source), decodeURIComponent(file))).replace(/\/$/, "");
  if (!existsSync(join(root, path))) return undefined;
  return { path, page: pageOf(path), anchor: anchor === undefined ? "" : `#${anchor}` };
}

function besides(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

type Tokens = NonNullable<ReturnType<MarkdownRenderer["parse"]>[number]["children"]>;

/** A link becomes the words it had, with the file's name for who points at them. */
function nameFile(tokens: Tokens, open: number, path: string): void {
  const close = tokens.findIndex(({ type }, at) => at > open && type === "link_close");
  const [start, end] = [tokens[open]!, tokens[close]!];
  for (const token of [start, end]) Object.assign(token, { type: "html_inline", tag: "", nesting: 0 });
  start.content = `<span class="in-repository" title="In the repository: ${path}">`;
  end.content = "</span>";
}
