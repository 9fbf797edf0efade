import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readContents } from "./navigation.ts";
import { base, stage } from "./pages.ts";

/** Writes `llms.txt` for coding agents: a list of pages, with their Markdown as files. */
export function writeLlmsText(dist: string): void {
  const lists = readContents().map(({ title, groups }) => {
    const pages = groups.flatMap((group) => group.pages);
    for (const { page } of pages) cpSync(join(stage, page), join(dist, page));
    return `## ${title}\n\n${pages.map(({ title: name, page }) => `- [${name}](${base}${page})`).join("\n")}\n`;
  });
  const text = `# Haft

> A TypeScript framework that gives AI agents their tools. It composes the tool set of each session from plugins, decides which calls may run, and runs every call through one kernel.

Each package carries its guides in \`node_modules/PACKAGE/docs\`.

${lists.join("\n")}`;
  writeFileSync(join(dist, "llms.txt"), text);
}
