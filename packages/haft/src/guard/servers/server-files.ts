import type { AgentId } from "@haft/guard";
import { isAbsolute, join } from "node:path";
import type { SettingsPlace } from "../settings/agent-settings.ts";

export interface StartedBy {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface ServerFiles {
  /** The user's own: at least one of them says so. */
  own: readonly string[];
  /** Names of those that a project, or the machine, has: what they say of a server comes first, so there it is not proven. */
  ofProject: readonly string[];
  ofMachine: readonly string[];
  /** The servers that a configuration names under this name, however deep in it. */
  servers(settings: Record<string, unknown>, name: string): unknown[];
  startedBy(server: Record<string, unknown>): StartedBy | undefined;
  /** Servers over HTTP can be proven: the hook sees the variables that the agent itself has, by which it may be led elsewhere. */
  isCalled?: true;
}

type Files = (place: Pick<SettingsPlace, "home" | "env">) => ServerFiles;

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

const under =
  (key: string) =>
  (settings: Record<string, unknown>, name: string): unknown[] => {
    const servers = record(settings[key]);
    return Object.hasOwn(servers, name) ? [servers[name]] : [];
  };

function commandAndArgs({
  command,
  args = [],
  env = {},
  url,
}: Record<string, unknown>): StartedBy | undefined {
  if (typeof command !== "string" || url !== undefined) return undefined;
  return texts(args) && texts(Object.values(record(env)))
    ? { command, args, env: record(env) as Record<string, string> }
    : undefined;
}

function texts(list: unknown): list is string[] {
  return Array.isArray(list) && list.every((each) => typeof each === "string");
}

/** Agents whose payloads say which server a tool is of, and where they keep their servers. */
export const serverFiles: Readonly<Partial<Record<AgentId, Files>>> = {
  claude: ({ home, env }) => ({
    own: [join(env["CLAUDE_CONFIG_DIR"] || home, ".claude.json")],
    ofProject: [".mcp.json"],
    ofMachine: ["/etc/claude-code/managed-mcp.json"],
    // Servers of one project stand in the same file, and come first there.
    servers: (settings, name) => [
      ...under("mcpServers")(settings, name),
      ...Object.values(record(settings["projects"])).flatMap((each) =>
        under("mcpServers")(record(each), name),
      ),
    ],
    isCalled: true,
    startedBy: commandAndArgs,
  }),
  codex: ({ home, env }) => ({
    own: [join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml")],
    ofProject: [".codex/config.toml"],
    ofMachine: ["/etc/codex/config.toml", "/etc/codex/managed_config.toml"],
    servers: under("mcp_servers"),
    isCalled: true,
    startedBy: commandAndArgs,
  }),
  gemini: ({ home }) => ({
    own: [join(home, ".gemini/settings.json")],
    ofProject: [".gemini/settings.json"],
    ofMachine: ["/etc/gemini-cli/settings.json", "/etc/gemini-cli/system-defaults.json"],
    servers: under("mcpServers"),
    startedBy: commandAndArgs,
  }),
  copilot: ({ home, env }) => ({
    own: [join(env["COPILOT_HOME"] || join(home, ".copilot"), "mcp-config.json")],
    ofProject: [".mcp.json", ".github/mcp.json", ".vscode/mcp.json", ".copilot/mcp-config.json"],
    ofMachine: [],
    servers: (settings, name) => [
      ...under("mcpServers")(settings, name),
      ...under("servers")(settings, name),
    ],
    isCalled: true,
    startedBy: commandAndArgs,
  }),
  cursor: ({ home }) => ({
    own: [join(home, ".cursor/mcp.json")],
    ofProject: [".cursor/mcp.json", ".mcp.json"],
    ofMachine: [],
    // The editor may name one of the user's so; and a project's may be called so.
    servers: (settings, name) => [
      ...under("mcpServers")(settings, name),
      ...under("mcpServers")(settings, name.replace(/^user-/, "")),
    ],
    // There are keys by which it reads variables out of files.
    startedBy: (server) =>
      Object.keys(server).every((key) => ["type", "command", "args", "env"].includes(key))
        ? commandAndArgs(server)
        : undefined,
  }),
  opencode: ({ home, env }) => {
    const { XDG_CONFIG_HOME: xdg = "" } = env;
    const names = ["opencode.json", "opencode.jsonc", "config.json"];
    return {
      own: names.map((name) => join(isAbsolute(xdg) ? xdg : join(home, ".config"), "opencode", name)),
      ofProject: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
      ofMachine: [],
      servers: under("mcp"),
      isCalled: true,
      startedBy: ({ command, environment = {} }) => {
        if (!texts(command) || !texts(Object.values(record(environment)))) return undefined;
        const [program = "", ...args] = command;
        return { command: program, args, env: record(environment) as Record<string, string> };
      },
    };
  },
};
