import { compilePathPattern, type PathPattern } from "@haft/core";
import { AGENT_FILES, AGENT_FOLDERS } from "@haft/core/internal";
import { join } from "node:path";

/** They belong to agents in every parent folder. */
export const AGENT_FOLDER_NAMES: readonly string[] = Object.keys(AGENT_FOLDERS);

const patterns = new Map<string, RegExp>();

/** @param rest Lower case. */
export function isProtectedAgentPath(folder: string, rest: string): boolean {
  let pattern = patterns.get(folder);
  if (pattern === undefined) {
    const [folders, files] = AGENT_FOLDERS[folder]!;
    patterns.set(folder, (pattern = new RegExp(`^(?:(?:${folders})(?:/.*)?|${files})$`)));
  }
  return pattern.test(rest);
}

/** The variable names the folder or its parent. */
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

/** In lower case. */
export function listVariableFolders(
  env: Readonly<Record<string, string | undefined>>,
): { name: string; at: string }[] {
  return NAMED.flatMap(([variable, name, below = ""]) => {
    const given = env[variable] ?? "";
    return given === "" ? [] : [{ name, at: join(given, below, "/").slice(0, -1).toLowerCase() }];
  });
}

export const FILE_VARIABLES = [
  "OPENCODE_CONFIG",
  "OPENCLAW_CONFIG_PATH",
  "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
  "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
] as const;

export const MACHINE_PATHS: readonly string[] = [
  "/etc/haft",
  "/etc/claude-code",
  "/etc/codex",
  "/etc/gemini-cli",
  "/etc/cursor",
  "/etc/opencode",
  ...["claudecode", "geminicli", "cursor", "opencode"].map((name) => `/library/application support/${name}`),
];

/** Shared folders and folders of the user. */
const ELSEWHERE =
  /(?:^|\/)(?:\.vscode\/mcp\.json|\.config\/(?:haft(?:\/.*)?|mcp\/mcp\.json)|(?:\.config|application support)\/cursor\/(?:cli-config|user\/\w+)\.json)$/;

let files: PathPattern | undefined;

/** @param path Lower case. */
export function isSharedAgentFile(path: string): boolean {
  if (ELSEWHERE.test(path)) return true;
  if (!/\/\.(?:github|agents|clinerules)\/|\.(?:jsonc?|ya?ml|[cm]?[jt]s)$/.test(path)) return false;
  if (files === undefined) {
    const compiled = compilePathPattern(AGENT_FILES, { fold: true });
    if ("problem" in compiled) throw new Error(compiled.message);
    files = compiled;
  }
  return files.covers(path.replace(/^\/+/, ""));
}

export const HOOK_PACKAGE_PATTERN = /\/node_modules\/(?:@?haft|\.pnpm\/(?:@?haft[@+]|unbash@)[^/]*)(?:\/|$)/;
