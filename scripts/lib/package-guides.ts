import { dirname, join, normalize, relative } from "node:path/posix";

/**
 * Pages in a package's tarball, for readers and coding agents without the repository. Other packages name the first
 * package with a page.
 */
export const PACKAGE_GUIDES: Readonly<Record<string, readonly string[]>> = {
  haft: [
    "start/coding-agents.md",
    "guides/hosts.md",
    "guides/configuration.md",
    "guides/policy.md",
    "guides/approvals.md",
    "guides/sandboxes.md",
    "guides/contained-commands.md",
    "guides/platforms.md",
    "guides/haft-run.md",
    "guides/serve.md",
    "guides/mcp-servers.md",
    "guides/plugins.md",
    "guides/ledger.md",
    "guides/undo.md",
    "reference/command.md",
    "reference/errors.md",
    "reference/ledger.md",
    "reference/path-patterns.md",
    "reference/stability.md",
  ],
  "@haft/adapters": ["guides/bridges.md", "guides/bridges-out.md"],
  "@haft/chat": ["guides/chat.md"],
  "@haft/config": ["guides/configuration.md"],
  "@haft/core": ["architecture/call.md", "reference/errors.md"],
  "@haft/guard": ["start/coding-agents.md", "guides/guard.md", "guides/clients/README.md"],
  "haft-plugin-web": ["guides/plugins.md"],
  "@haft/history": ["guides/ledger.md", "reference/ledger.md"],
  "@haft/host": [
    "start/agent-hosts.md",
    "guides/hosts.md",
    "guides/configuration.md",
    "guides/durability.md",
    "guides/approvals.md",
  ],
  "@haft/inspector": ["guides/inspector.md"],
  "@haft/mcp": ["guides/mcp-servers.md", "guides/serve.md"],
  "@haft/nodes": ["guides/nodes.md"],
  "@haft/otel": ["guides/telemetry.md"],
  "@haft/plugin-loader": ["guides/plugins.md"],
  "@haft/plugin-sdk": [
    "start/plugin-authors.md",
    "guides/write-a-plugin.md",
    "guides/test-a-plugin.md",
    "guides/plugins.md",
    "reference/schemas.md",
    "reference/errors.md",
  ],
  "@haft/policy": ["guides/policy.md", "reference/path-patterns.md"],
  "@haft/sandbox": ["guides/sandboxes.md", "guides/contained-commands.md", "guides/platforms.md"],
  "@haft/store": ["guides/durability.md", "guides/many-machines.md"],
  "@haft/tools-exec": ["guides/contained-commands.md"],
  "@haft/tools-fs": ["guides/undo.md", "reference/apply-patch.md"],
  "create-haft-plugin": ["start/plugin-authors.md", "guides/write-a-plugin.md"],
};

/**
 * Removes pictures, and replaces links out of the package by text that names their place.
 *
 * @param path relative to the root, such as `docs/guides/undo.md` or `packages/core/README.md`
 * @param of the package that carries the page
 */
export function toPackagePage(path: string, text: string, of: { name: string; folder: string }): string {
  const carried = (PACKAGE_GUIDES[of.name] ?? []).map((page) => `docs/${page}`);
  /** The path in the tarball, if it is there. */
  const packed = (page: string) =>
    page === `${of.folder}/README.md` ? "README.md" : carried.includes(page) ? page : undefined;
  const withoutPictures = text
    .replaceAll(/<picture>[\s\S]*?<\/picture>\n*/g, "")
    .replaceAll(/^!\[[^\]]*\]\([^)]*\)\n*/gm, "")
    .replaceAll(/^<img [^>]*>\n*/gm, "");
  return withoutPictures.replaceAll(
    LINK,
    (all, before: string, title: string, target: string, after: string) => {
      if (/^[a-z][a-z0-9+.-]*:|^#/i.test(target)) return all;
      const [file = "", anchor] = target.split("#");
      const page = normalize(join(dirname(path), file));
      const found = packed(page);
      if (found !== undefined) {
        const link = relative(dirname(packed(path) ?? path), found);
        return `${before}[${title}](${link}${anchor === undefined ? "" : `#${anchor}`})${after}`;
      }
      const place = placeOf(page, title);
      if (place === undefined || before.includes("|")) return `${before}${title}${after}`;
      const isAlone = before === "(" && after === ")";
      return isAlone ? `(${title}: ${place})` : `${before}${title} (${place})${after}`;
    },
  );
}

/** A link, with the start of its table row or a parenthesis around it. */
const LINK = /((?:^\| |\()?)\[([^\]]+)\]\(([^)\s]+)\)(\)?)/gm;

/** Returns undefined where the title alone is enough: sources, and packages under their names. */
function placeOf(page: string, title: string): string | undefined {
  const owner = Object.keys(PACKAGE_GUIDES).find((name) =>
    PACKAGE_GUIDES[name]?.includes(page.slice("docs/".length)),
  );
  if (owner !== undefined) return `\`${page}\` of \`${owner}\``;
  const [, folder, isSource] = /^packages\/([^/]+)\/(src\/)?/.exec(page) ?? [];
  if (folder === undefined) return page === "README.md" ? undefined : `\`${page}\` in the repository`;
  const name = folder in PACKAGE_GUIDES ? folder : `@haft/${folder}`;
  return isSource !== undefined || title.includes(name) ? undefined : `the README of \`${name}\``;
}

export function formatGuideIndex(
  name: string,
  pages: readonly { readonly path: string; readonly text: string }[],
): string {
  const rows = pages.map(({ path, text }) => `- [${/^# (.+)$/m.exec(text)?.[1] ?? path}](${path})`);
  return `# Documents of ${name}\n\n${rows.join("\n")}\n`;
}
