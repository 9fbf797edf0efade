import { membersOf } from "@haft/core/internal";
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
  /** Default: {@link commandAndArgs}. */
  startedBy?: (server: Record<string, unknown>) => StartedBy | undefined;
  /** Servers over HTTP can be proven: the hook sees the variables that the agent itself has, by which it may be led elsewhere. */
  isCalled?: true;
}

type Files = (place: Pick<SettingsPlace, "home" | "env">) => ServerFiles;

const under =
  (...keys: string[]) =>
  (settings: Record<string, unknown>, name: string): unknown[] =>
    keys
      .map((key) => membersOf(settings[key]))
      .flatMap((servers) => (Object.hasOwn(servers, name) ? [servers[name]] : []));

export function commandAndArgs({
  command,
  args = [],
  env = {},
  url,
}: Record<string, unknown>): StartedBy | undefined {
  if (typeof command !== "string" || url !== undefined) return undefined;
  return texts(args) && texts(Object.values(membersOf(env)))
    ? { command, args, env: membersOf(env) as Record<string, string> }
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
      ...Object.values(membersOf(settings["projects"])).flatMap((each) =>
        under("mcpServers")(membersOf(each), name),
      ),
    ],
    isCalled: true,
  }),
  codex: ({ home, env }) => ({
    own: [join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml")],
    ofProject: [".codex/config.toml"],
    ofMachine: ["/etc/codex/config.toml", "/etc/codex/managed_config.toml"],
    servers: under("mcp_servers"),
    isCalled: true,
  }),
  gemini: ({ home }) => ({
    own: [join(home, ".gemini/settings.json")],
    ofProject: [".gemini/settings.json"],
    ofMachine: ["/etc/gemini-cli/settings.json", "/etc/gemini-cli/system-defaults.json"],
    servers: under("mcpServers"),
  }),
  copilot: ({ home, env }) => ({
    own: [join(env["COPILOT_HOME"] || join(home, ".copilot"), "mcp-config.json")],
    ofProject: [".mcp.json", ".github/mcp.json", ".vscode/mcp.json", ".copilot/mcp-config.json"],
    ofMachine: [],
    servers: under("mcpServers", "servers"),
    isCalled: true,
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
        if (!texts(command) || !texts(Object.values(membersOf(environment)))) return undefined;
        const [program = "", ...args] = command;
        return { command: program, args, env: membersOf(environment) as Record<string, string> };
      },
    };
  },
};
