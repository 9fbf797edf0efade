import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFinder, readModels } from "./api/read-models.ts";
import { renderEntry } from "./api/render-entry.ts";
import { documents, toPagePath, root, stage } from "./pages.ts";

/** Stages documents, examples, the API reference and the start page. */
export function stagePages(): void {
  rmSync(stage, { recursive: true, force: true });
  for (const path of documents()) {
    const page = toPagePath(path)!;
    if (path.endsWith(".ts")) put(page, exampleOf(path));
    else {
      mkdirSync(dirname(join(stage, page)), { recursive: true });
      cpSync(join(root, path), join(stage, page));
    }
  }
  const entries = readModels(join(root, ".haft/api"));
  const find = createFinder(entries);
  const table = readFileSync(join(root, "docs/reference/errors.md"), "utf8");
  const errors = new Set([...table.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code!));
  for (const entry of entries) put(`reference/api/${entry.name}.md`, renderEntry(entry, find, errors));
  const list = entries.map(({ specifier, name }) => `- [\`${specifier}\`](./${name}.md)`);
  put(
    "reference/api/index.md",
    `# API\n\nWhat each package exports, made from its declarations. Every other entry point is internal.\n\n${list.join("\n")}\n`,
  );
  // The start page shows a picture by its address.
  cpSync(join(root, "docs/pictures"), join(stage, "public/pictures"), { recursive: true });
  cpSync(join(import.meta.dirname, "../mark.svg"), join(stage, "public/mark.svg"));
}

function exampleOf(path: string): string {
  const [, number, title = ""] = /(\d+)-([^/]+)\.ts$/.exec(path) ?? [];
  const text = readFileSync(join(root, path), "utf8").trimEnd();
  return `# Example ${Number(number)}: ${title.replaceAll("-", " ")}\n\nIn a checkout: \`${path}\`.\n\n\`\`\`ts\n${text}\n\`\`\`\n`;
}

function put(page: string, text: string): void {
  mkdirSync(dirname(join(stage, page)), { recursive: true });
  writeFileSync(join(stage, page), text);
}
