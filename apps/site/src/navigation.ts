import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { DefaultTheme } from "vitepress";
import { publicEntryPoints } from "../../../scripts/lib/api-report.ts";
import { toPagePath, root } from "./pages.ts";

/** A second-rank heading's part of the contents. */
export interface Section {
  title: string;
  groups: { title: string; pages: { title: string; page: string }[] }[];
}

const CONTENTS = "docs/README.md";

/** The site's navigation comes from this document. */
export function readContents(): Section[] {
  const sections: Section[] = [];
  for (const line of readFileSync(join(root, CONTENTS), "utf8").split("\n")) {
    const [, rank, title = ""] = /^(##|###) (.+)$/.exec(line) ?? [];
    if (rank === "##") sections.push({ title, groups: [{ title: "", pages: [] }] });
    if (rank === "###") sections.at(-1)?.groups.push({ title, pages: [] });
    const [, name = "", target] = /^- \[([^\]]+)\]\(([^)]+)\)/.exec(line) ?? [];
    const page = target === undefined ? undefined : toPagePath(normalize(join(dirname(CONTENTS), target)));
    if (page !== undefined) sections.at(-1)?.groups.at(-1)?.pages.push({ title: name, page });
  }
  sections
    .find(({ title }) => title === "Reference")
    ?.groups.push({
      title: "API",
      pages: [{ title: "All entry points", page: "reference/api/index.md" }, ...api()],
    });
  return sections;
}

/** Generated pages of entry points are in no document. */
function api(): { title: string; page: string }[] {
  return publicEntryPoints().map(({ entry, name }) => ({
    title: entry.specifier,
    page: `reference/api/${name}.md`,
  }));
}

const linkOf = (page: string): string => `/${page.replace(/(?:index)?\.md$/, "")}`;

/** A page's sidebar: its section's groups, and the first section with the second, because guides begin there. */
export function sidebar(sections: readonly Section[]): DefaultTheme.SidebarMulti {
  const [start, guides, ...others] = sections as [Section, Section, ...Section[]];
  const beside: DefaultTheme.SidebarMulti = { "/": [...itemsOf(start), ...itemsOf(guides)] };
  for (const section of others) {
    const items = itemsOf(section);
    const pages = section.groups.flatMap((group) => group.pages.map(({ page }) => linkOf(page)));
    // A folder, or a page outside folders.
    for (const link of pages) beside[/^\/[^/]+\//.exec(link)?.[0] ?? link] = items;
  }
  return beside;
}

function itemsOf({ title, groups }: Section): DefaultTheme.SidebarItem[] {
  return groups
    .filter(({ pages }) => pages.length > 0)
    .map((group, at) => ({
      text: group.title === "" ? title : group.title,
      collapsed: at > 0,
      items: group.pages.map((each) => ({ text: each.title, link: linkOf(each.page) })),
    }));
}

export function topBar(sections: readonly Section[]): DefaultTheme.NavItem[] {
  return sections.map(({ title, groups }) => {
    const pages = groups.flatMap((group) => group.pages.map(({ page }) => linkOf(page)));
    const folders = new Set(pages.map((link) => /^\/[^/]+\//.exec(link)?.[0] ?? `${link}(?:\\.|$)`));
    return { text: title, link: pages[0]!, activeMatch: `^(?:${[...folders].join("|")})` };
  });
}
