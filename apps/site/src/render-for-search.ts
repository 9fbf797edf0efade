import type { MarkdownEnv, MarkdownRenderer } from "vitepress";
import { ERRORS } from "./read-documents.ts";

/**
 * What a search finds of a page. It finds headings, with what stands below each; of the table of errors it finds single rows,
 * as if each code were a heading.
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
