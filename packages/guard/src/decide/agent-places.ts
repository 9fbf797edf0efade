import { join } from "node:path";

/** Folders of an agent's, with all below them, and files in its folder: alternatives of a pattern, lower case. */
type Held = readonly [folders: string, files: string];

/**
 * What an agent starts programs, hooks and servers by, loads as code, or asks about what it may do, in the folder of each. Beside
 * them lie sessions, plans, memories and instructions, which are nobody's concern.
 */
const HELD: Readonly<Record<string, Held>> = {
  // Front matter of agents, commands and skills may have hooks and servers; what else a skill has is run by commands. Snapshots are
  // run before each command.
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
  // Texts of commands may have shell commands in them, and agents what they may do.
  ".opencode": [
    "(?:plugin|tool|agent|command|mode)s?|node_modules",
    String.raw`(?:opencode|config|tui)\.jsonc?|package\.json`,
  ],
  // Models and keys may be what a command says.
  ".pi": [
    "(?:agent/)?(?:extensions|packages|git|npm|tools|hooks|bin)",
    String.raw`(?:agent/)?(?:settings|models|auth|mcp|trust)\.json`,
  ],
  ".openclaw": [
    "plugins|extensions|hooks|npm|git|workspace[^/]*/hooks",
    String.raw`openclaw\.json[^/]*|exec-approvals\.json|node\.json|\.env`,
  ],
};

/** Folders of agents by their names, which are theirs wherever they are. */
export const AGENT_FOLDERS: readonly string[] = Object.keys(HELD);

const patterns = new Map<string, RegExp>();

/** Whether a path in the folder of an agent is one of these; lower case. */
export function isHeld(folder: string, rest: string): boolean {
  let pattern = patterns.get(folder);
  if (pattern === undefined) {
    const [folders, files] = HELD[folder]!;
    patterns.set(folder, (pattern = new RegExp(`^(?:(?:${folders})(?:/.*)?|${files})$`)));
  }
  return pattern.test(rest);
}

/** Variables that name such a folder, or one that it is in. */
const NAMED: readonly (readonly [variable: string, folder: string, below?: string])[] = [
  ["CLAUDE_CONFIG_DIR", ".claude"],
  ["CODEX_HOME", ".codex"],
  ["COPILOT_HOME", ".copilot"],
  ["CURSOR_CONFIG_DIR", ".cursor"],
  ["GEMINI_CLI_HOME", ".gemini", ".gemini"],
  ["OPENCODE_CONFIG_DIR", ".opencode"],
  ["XDG_CONFIG_HOME", ".opencode", "opencode"],
  ["PI_CODING_AGENT_DIR", ".pi"],
  ["OPENCLAW_STATE_DIR", ".openclaw"],
];

/** Folders of agents that variables name instead of those in the home folder; lower case. */
export function namedFolders(
  env: Readonly<Record<string, string | undefined>>,
): { name: string; at: string }[] {
  return NAMED.flatMap(([variable, name, below = ""]) => {
    const given = env[variable] ?? "";
    // What stands in it is told by how long it is.
    return given === "" ? [] : [{ name, at: join(given, below, "/").slice(0, -1).toLowerCase() }];
  });
}

/** Files of agents that variables name. */
export const NAMED_FILES = [
  "OPENCODE_CONFIG",
  "OPENCLAW_CONFIG_PATH",
  "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
  "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
] as const;

/** What agents read at a place of the machine. */
export const MACHINE: readonly string[] = [
  "/etc/haft",
  "/etc/claude-code",
  "/etc/codex",
  "/etc/gemini-cli",
  "/etc/cursor",
  "/etc/opencode",
  ...["claudecode", "geminicli", "cursor", "opencode"].map((name) => `/library/application support/${name}`),
];

/** The same in folders of no agent's own, or of several. */
export const ELSEWHERE =
  /(?:^|\/)(?:\.claude\.json|\.(?:mcp|lsp)\.json|opencode\.jsonc?|haft\.config\.(?:ya?ml|json|[cm]?[jt]s)|\.vscode\/mcp\.json|\.github\/(?:(?:hooks|extensions|agents)(?:\/.*)?|(?:mcp|lsp)\.json|copilot\/settings[^/]*\.json)|\.agents\/(?:plugins(?:\/.*)?|skills\/.*\/agents\/[^/]*\.ya?ml)|\.config\/(?:haft(?:\/.*)?|mcp\/mcp\.json)|(?:\.config|application support)\/cursor\/(?:cli-config|user\/\w+)\.json)$/;
/** The packages that a hook is loaded from, wherever they are installed. */
export const PACKAGES = /\/node_modules\/(?:@?haft|\.pnpm\/(?:@?haft[@+]|unbash@)[^/]*)(?:\/|$)/;
