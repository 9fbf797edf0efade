import { dirname, join, normalize, relative } from "node:path/posix";

/** Pages in a package's tarball, for readers and coding agents without the repository. */
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
  "create-haft-plugin": ["start/plugin-authors.md", "guides/write-a-plugin.md"],
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
};

/**
 * Removes pictures, and replaces links to missing pages by text that names their package.
 *
 * @param path relative to `docs/`
 * @param carried pages of the same package
 */
export function toPackagePage(path: string, text: string, carried: readonly string[]): string {
  const withoutPictures = text
    .replaceAll(/<picture>[\s\S]*?<\/picture>\n*/g, "")
    .replaceAll(/^!\[[^\]]*\]\([^)]*\)\n*/gm, "")
    .replaceAll(/^<img [^>]*>\n*/gm, "");
  return withoutPictures.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, title: string, target: string) => {
    if (/^[a-z][a-z0-9+.-]*:|^#/i.test(target)) return link;
    const [file = "", anchor] = target.split("#");
    const page = normalize(join(dirname(path), file));
    if (carried.includes(page))
      return `[${title}](${relative(dirname(path), page)}${anchor === undefined ? "" : `#${anchor}`})`;
    const owner = Object.keys(PACKAGE_GUIDES).find((name) => PACKAGE_GUIDES[name]?.includes(page));
    return owner === undefined ? title : `${title} (\`docs/${page}\` of \`${owner}\`)`;
  });
}

export function formatGuideIndex(
  name: string,
  pages: readonly { readonly path: string; readonly text: string }[],
): string {
  const rows = pages.map(({ path, text }) => `- [${/^# (.+)$/m.exec(text)?.[1] ?? path}](${path})`);
  return `# Documents of ${name}\n\n${rows.join("\n")}\n`;
}
