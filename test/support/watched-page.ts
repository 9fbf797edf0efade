import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** Notes what a page should not do: errors, words of warning in its console, and requests to anybody but `origin`. */
export function watchPage(page: Page, origin: string): string[] {
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      troubles.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(?:data|blob):/.test(url) && new URL(url).origin !== origin) troubles.push(`request: ${url}`);
  });
  return troubles;
}

/** What keeps those from using a page who hear it, or have only a keyboard: none of it is excused. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>("axe.run(document, { preload: false })");
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
  );
}

/** By how many pixels more than it has room for a page is wide. */
export function widerThanScreen(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
