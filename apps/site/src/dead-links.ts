import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** Finds links and pictures without a target in a built site. */
export function findDeadLinks(folder: string, base: string): string[] {
  const files = new Set(globSync("**/*", { cwd: folder }).map((path) => path.replaceAll("\\", "/")));
  const pages = [...files].filter((path) => path.endsWith(".html"));
  const text = new Map(pages.map((page) => [page, readFileSync(join(folder, page), "utf8")]));
  const ids = new Map(
    pages.map((page) => [
      page,
      new Set([...text.get(page)!.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!)),
    ]),
  );
  return pages.flatMap((page) =>
    targetsOf(text.get(page)!).flatMap((target) => {
      if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return [];
      const [path = "", anchor = ""] = target.split("#");
      const at = fileOf(path, page, base);
      if (!files.has(at)) return [`${page}: ${target} does not exist`];
      const names = ids.get(at)?.has(decodeURIComponent(anchor)) ?? true;
      return anchor === "" || names ? [] : [`${page}: ${target} names nothing there`];
    }),
  );
}

function targetsOf(html: string): string[] {
  const found = html.matchAll(/<(?:a|img|link|script)\s[^>]*?(?:href|src)="([^"]*)"/g);
  return [...new Set([...found].map(([, target]) => target!.replaceAll("&amp;", "&")))];
}

function fileOf(path: string, page: string, base: string): string {
  if (path === "") return page;
  // Outside the base, files belong to others.
  if (path.startsWith("/") && !path.startsWith(base)) return path;
  const full = path.startsWith("/") ? path.slice(base.length) : posix.join(dirname(page), path);
  return full === "" || full.endsWith("/") || full === "." ? posix.join(full, "index.html") : full;
}
