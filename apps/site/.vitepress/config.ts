import { join } from "node:path";
import { defineConfig } from "vitepress";
import { toSlug } from "../../../scripts/lib/markdown.ts";
import { readContents, sidebar, topBar } from "../src/navigation.ts";
import { base, stage } from "../src/pages.ts";
import { ERRORS, readDocuments } from "../src/read-documents.ts";
import { renderForSearch } from "../src/render-for-search.ts";

const contents = readContents();

export default defineConfig({
  srcDir: stage,
  outDir: join(import.meta.dirname, "../dist"),
  cacheDir: join(import.meta.dirname, "../node_modules/.cache"),
  base,
  title: "Haft",
  description: "Tools of AI agents: composed, decided upon and run in one place.",
  lang: "en",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}mark.svg` }]],
  markdown: {
    // Links also work in a repository browser.
    anchor: { slugify: toSlug },
    config: readDocuments,
    languageAlias: { conf: "nginx" },
  },
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  // The table uses the whole width, without an outline.
  transformPageData: ({ relativePath, frontmatter }) =>
    relativePath === ERRORS
      ? { frontmatter: { ...frontmatter, aside: false, pageClass: "of-one-table" } }
      : undefined,
  themeConfig: {
    logo: "/mark.svg",
    nav: topBar(contents),
    sidebar: sidebar(contents),
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        _render: renderForSearch,
        // Guides rank first, then reference, then API pages.
        miniSearch: {
          searchOptions: {
            boostDocument: (id: string) =>
              /\/reference\/api\//.test(id) ? 0.3 : /\/(?:reference|architecture)\//.test(id) ? 0.7 : 2,
          },
        },
      },
    },
    footer: { message: "MIT" },
  },
});
