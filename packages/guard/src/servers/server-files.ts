import { asRecord } from "@haft/utils";
import { isAbsolute, join } from "node:path";
import type { AgentId } from "../contract/payload.ts";
import type { SettingsLocation } from "../settings/agent-settings.ts";

export interface McpServerCommand {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface ServerFiles {
  userFiles: readonly string[];
  /** Names. These files take precedence, so a server in them is not proven. */
  projectFiles: readonly string[];
  machineFiles: readonly string[];
  /** At any depth. */
  servers(settings: Record<string, unknown>, name: string): unknown[];
  readCommand?: (server: Record<string, unknown>) => McpServerCommand | undefined;
  /** The hook must have the agent's variables, including proxies. */
  supportsHttp?: true;
}

type Files = (location: Pick<SettingsLocation, "home" | "env">) => ServerFiles;

const under =
  (...keys: string[]) =>
  (settings: Record<string, unknown>, name: string): unknown[] =>
    keys
      .map((key) => asRecord(settings[key]))
      .flatMap((servers) => (Object.hasOwn(servers, name) ? [servers[name]] : []));

export function commandAndArgs({
  command,
  args = [],
  env = {},
  url,
}: Record<string, unknown>): McpServerCommand | undefined {
  if (typeof command !== "string" || url !== undefined) return undefined;
  return texts(args) && texts(Object.values(asRecord(env)))
    ? { command, args, env: asRecord(env) as Record<string, string> }
    : undefined;
}

function texts(list: unknown): list is string[] {
  return Array.isArray(list) && list.every((each) => typeof each === "string");
}

/** The payloads of these agents name the server. */
export const serverFiles: Readonly<Partial<Record<AgentId, Files>>> = {
  claude: ({ home, env }) => ({
    userFiles: [join(env["CLAUDE_CONFIG_DIR"] || home, ".claude.json")],
    projectFiles: [".mcp.json"],
    machineFiles: ["/etc/claude-code/managed-mcp.json"],
    servers: (settings, name) => [
      ...under("mcpServers")(settings, name),
      ...Object.values(asRecord(settings["projects"])).flatMap((each) =>
        under("mcpServers")(asRecord(each), name),
      ),
    ],
    supportsHttp: true,
  }),
  codex: ({ home, env }) => ({
    userFiles: [join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml")],
    projectFiles: [".codex/config.toml"],
    machineFiles: ["/etc/codex/config.toml", "/etc/codex/managed_config.toml"],
    servers: under("mcp_servers"),
    supportsHttp: true,
  }),
  gemini: ({ home }) => ({
    userFiles: [join(home, ".gemini/settings.json")],
    projectFiles: [".gemini/settings.json"],
    machineFiles: ["/etc/gemini-cli/settings.json", "/etc/gemini-cli/system-defaults.json"],
    servers: under("mcpServers"),
  }),
  copilot: ({ home, env }) => ({
    userFiles: [join(env["COPILOT_HOME"] || join(home, ".copilot"), "mcp-config.json")],
    projectFiles: [".mcp.json", ".github/mcp.json", ".vscode/mcp.json", ".copilot/mcp-config.json"],
    machineFiles: [],
    servers: under("mcpServers", "servers"),
    supportsHttp: true,
  }),
  cursor: ({ home }) => ({
    userFiles: [join(home, ".cursor/mcp.json")],
    projectFiles: [".cursor/mcp.json", ".mcp.json"],
    machineFiles: [],
    // A project can use a name with the editor's prefix.
    servers: (settings, name) => [
      ...under("mcpServers")(settings, name),
      ...under("mcpServers")(settings, name.replace(/^user-/, "")),
    ],
    // Other keys can read variables from files.
    readCommand: (server) =>
      Object.keys(server).every((key) => ["type", "command", "args", "env"].includes(key))
        ? commandAndArgs(server)
        : undefined,
  }),
  opencode: ({ home, env }) => {
    const { XDG_CONFIG_HOME: xdg = "" } = env;
    const names = ["opencode.json", "opencode.jsonc", "config.json"];
    return {
      userFiles: names.map((name) => join(isAbsolute(xdg) ? xdg : join(home, ".config"), "opencode", name)),
      projectFiles: [
        "opencode.json",
        "opencode.jsonc",
        ".opencode/opencode.json",
        ".opencode/opencode.jsonc",
      ],
      machineFiles: [],
      servers: under("mcp"),
      supportsHttp: true,
      readCommand: ({ command, environment = {} }) => {
        if (!texts(command) || !texts(Object.values(asRecord(environment)))) return undefined;
        const [program = "", ...args] = command;
        return { command: program, args, env: asRecord(environment) as Record<string, string> };
      },
    };
  },
};
