// Writes a package's pages into its folder `docs` before packing. Runs in the package's folder.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { formatGuideIndex, PACKAGE_GUIDES, toPackagePage } from "./lib/package-guides.ts";
import { root } from "./lib/workspace.ts";

const { name } = JSON.parse(readFileSync("package.json", "utf8")) as { name: string };
const carried = PACKAGE_GUIDES[name] ?? [];
rmSync("docs", { recursive: true, force: true });
const pages = carried.map((path) => ({
  path,
  text: toPackagePage(path, readFileSync(join(root, "docs", path), "utf8"), carried),
}));
const index = pages.length === 0 ? [] : [{ path: "README.md", text: formatGuideIndex(name, pages) }];
for (const { path, text } of [...pages, ...index]) {
  mkdirSync(dirname(join("docs", path)), { recursive: true });
  writeFileSync(join("docs", path), text);
}
