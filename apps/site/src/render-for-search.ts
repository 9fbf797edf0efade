import type { MarkdownEnv, MarkdownRenderer } from "vitepress";
import { ERRORS } from "./read-documents.ts";

/**
 * The searchable text of a page. Search finds headings with their text, and rows of the error table as if
 * codes were headings.
 */
export async function renderForSearch(
  source: string,
  env: MarkdownEnv,
  md: MarkdownRenderer,
): Promise<string> {
  const html = await md.renderAsync(source, env);
  if (env.relativePath !== ERRORS) return html;
  return html.replaceAll(
    /<tr id="([^"]+)">\s*<td[^>]*>(.*?)<\/td>([^]*?)<\/tr>/g,
    (_, id: string, code: string, rest: string) =>
      `<h2 id="${id}">${code} <a class="header-anchor" href="#${id}"></a></h2><p>${rest}</p>`,
  );
}
