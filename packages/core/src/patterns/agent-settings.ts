/** Lower-case regular expressions for folders (with their content) and files. */
type Parts = readonly [folders: string, files: string];

/**
 * Folders by which agents start programs, hooks and servers, load code, or set permissions. Guarded agents can only change the unlisted
 * parts. File tools and contained commands protect whole folders.
 */
export const AGENT_FOLDERS: Readonly<Record<string, Parts>> = {
  // Agents, commands and skills may have hooks and servers in their front matter. Snapshots run before each command.
  ".claude": [
    "hooks|plugins|workflows|local|shell-snapshots|session-env",
    String.raw`[^/]*settings[^/]*\.json|mcp[^/]*\.json|launch\.json|statusline[^/]*|(?:agents|commands)(?:/[^.]*|/.*\.md)?|skills(?:/[^/]*|/.*/skill\.md)?`,
  ],
  ".codex": [
    "hooks|plugins|agents|rules|environments|packages|bin",
    String.raw`[^/]*\.toml|hooks\.json|mcp[^/]*\.json|\.env|skills/.*/agents/[^/]*\.ya?ml`,
  ],
  ".gemini": [
    "hooks|extensions|agents|commands|policies",
    String.raw`[^/]*settings[^/]*\.json|(?:mcp|trusted)[^/]*\.json|\.env|sandbox[.-].*`,
  ],
  ".cursor": [
    "hooks|plugins|extensions",
    String.raw`(?:hooks|mcp|cli|cli-config|environment|worktrees|sandbox|permissions|settings|argv)\.json`,
  ],
  ".copilot": [
    "hooks|plugins|installed-plugins|agents|extensions|pkg",
    String.raw`[^/]*config\.json|settings[^/]*\.json|permissions[^/]*\.json`,
  ],
  // Commands may contain shell commands, and agents permissions.
  ".opencode": [
    "(?:plugin|tool|agent|command|mode)s?|node_modules",
    String.raw`(?:opencode|config|tui)\.jsonc?|package\.json`,
  ],
  // Models and keys may be the output of a command.
  ".pi": [
    "(?:agent/)?(?:extensions|packages|git|npm|tools|hooks|bin)",
    String.raw`(?:agent/)?(?:settings|models|auth|mcp|trust)\.json`,
  ],
  ".openclaw": [
    "plugins|extensions|hooks|npm|git|workspace[^/]*/hooks",
    String.raw`openclaw\.json[^/]*|exec-approvals\.json|node\.json|\.env`,
  ],
  ".amp": ["plugins|tools|toolboxes|hooks", String.raw`settings[^/]*\.jsonc?`],
  ".augment": ["hooks|agents|commands", String.raw`settings[^/]*\.json|mcp[^/]*\.json`],
  ".cline": ["hooks|plugins|data/settings", String.raw`(?:mcp|cline_mcp_settings|settings)[^/]*\.json`],
  ".openhands": [
    "hooks|plugins",
    String.raw`(?:setup|pre-commit)\.sh|(?:hooks|mcp|config)[^/]*\.(?:json|toml)`,
  ],
};

/** Globs, at any depth. */
export const AGENT_FILES: readonly string[] = [
  "**/.github/{hooks,extensions,agents}",
  "**/.agents/plugins",
  "**/.clinerules/hooks",
  "**/.{claude,mcp,lsp}.json",
  "**/opencode.{json,jsonc}",
  "**/haft.config.{yaml,yml,json,js,cjs,mjs,ts,cts,mts}",
  "**/.github/{mcp,lsp}.json",
  "**/.github/copilot/settings*.json",
  "**/.agents/skills/**/agents/*.{yml,yaml}",
];
