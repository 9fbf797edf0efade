// Writes a package's pages into its folder `docs`, and the packed form of its README, before packing; with
// `--restore` it brings the README back. Runs in the package's folder.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { formatGuideIndex, PACKAGE_GUIDES, toPackagePage } from "./lib/package-guides.ts";
import { root } from "./lib/workspace.ts";

const README = "README.md";
const SAVED = ".haft/README.md";
const { name } = JSON.parse(readFileSync("package.json", "utf8")) as { name: string };
const of = { name, folder: relative(root, process.cwd()) };
const toPackedReadme = (text: string) => toPackagePage(`${of.folder}/${README}`, text, of);

// An earlier run may have ended before it brought the README back.
if (existsSync(SAVED) && readFileSync(README, "utf8") === toPackedReadme(readFileSync(SAVED, "utf8")))
  renameSync(SAVED, README);
if (!process.argv.includes("--restore")) {
  rmSync("docs", { recursive: true, force: true });
  const pages = (PACKAGE_GUIDES[name] ?? []).map((path) => ({
    path,
    text: toPackagePage(`docs/${path}`, readFileSync(join(root, "docs", path), "utf8"), of),
  }));
  const index = pages.length === 0 ? [] : [{ path: README, text: formatGuideIndex(name, pages) }];
  for (const { path, text } of [...pages, ...index]) write(join("docs", path), text);
  const readme = readFileSync(README, "utf8");
  write(SAVED, readme);
  write(README, toPackedReadme(readme));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
