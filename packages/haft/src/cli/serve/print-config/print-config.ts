import { shellWord } from "@haft/utils";
import type { ConfiguredClient } from "./configured-clients.ts";
import { isTemporaryInstall, type ServerCommand } from "./server-command.ts";

/** Paragraphs and code blocks. */
type ClientConfig = (server: ServerCommand) => readonly string[];

function commands(what: "add" | "check" | "remove" | "start", ...lines: string[]): string {
  return block(`sh ${what}`, lines.join("\n"));
}

function file(language: "json" | "toml" | "markdown", path: string, text: string): string {
  return block(`${language} ${path}`, text);
}

function block(info: string, text: string): string {
  return `\`\`\`${info}\n${text}\n\`\`\``;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function words(...list: string[]): string {
  return list.map(shellWord).join(" ");
}

function stdioServer({ command, args, env }: ServerCommand): object {
  return { command, args, ...(Object.keys(env).length > 0 && { env }) };
}

function envOptions({ env }: ServerCommand, option = "--env"): string[] {
  return Object.entries(env).flatMap(([name, value]) => [option, `${name}=${value}`]);
}

/** Claude Code ignores names unknown to its version. */
const CLAUDE_TOOLS = "Bash PowerShell Monitor Read Edit Write NotebookEdit Glob Grep".split(" ");

const claudeConfig: ClientConfig = (server) => [
  "Add Haft to all your projects. The workspace is the folder in which Claude Code starts, unless you set --workspace:",
  commands(
    "add",
    `claude mcp add-json --scope user haft ${shellWord(JSON.stringify({ type: "stdio", ...stdioServer(server) }))}`,
  ),
  "Deny Claude Code's built-in tools for files and commands, and let only Haft decide about its tools. Add this to ~/.claude/settings.json, or to .claude/settings.json of one project:",
  file(
    "json",
    "~/.claude/settings.json",
    json({ permissions: { allow: ["mcp__haft"], deny: CLAUDE_TOOLS } }),
  ),
  "Haft marks its tools for files and commands as always loaded, so that Claude Code does not hide them behind its tool search.",
  "Files that you name with @ in a prompt, and commands that you type after !, still bypass Haft.",
  "Check it:",
  commands("check", "claude mcp get haft"),
  "To remove it, also delete the lines in the settings:",
  commands("remove", "claude mcp remove --scope user haft"),
];

/** Only Codex's sandbox restricts `apply_patch`, which belongs to the model. */
const codexConfig: ClientConfig = ({ command, args, env }) => [
  "Add Haft to all your projects, at the end of ~/.codex/config.toml. The workspace is the folder in which Codex starts, unless you set --workspace. Haft decides about each call, so Codex need not ask about its tools:",
  file(
    "toml",
    "~/.codex/config.toml",
    [
      "[mcp_servers.haft]",
      `command = ${tomlText(command)}`,
      `args = [${args.map(tomlText).join(", ")}]`,
      `default_tools_approval_mode = "approve"`,
      "# Without this, Codex does not wait for Haft, and the first calls of a model have no such tools.",
      "required = true",
      "startup_timeout_sec = 30",
      ...(Object.keys(env).length === 0
        ? []
        : [
            "",
            "[mcp_servers.haft.env]",
            ...Object.entries(env).map(([name, value]) => `${name} = ${tomlText(value)}`),
          ]),
    ].join("\n"),
  ),
  "Disable Codex's built-in tools for commands and images:",
  commands(
    "add",
    "codex features disable shell_tool",
    "codex features disable unified_exec",
    "codex features disable view_image",
  ),
  "Its apply_patch cannot be disabled: Codex always offers it to models that know it. Start Codex with its read-only sandbox, in which apply_patch changes nothing unless you allow it when Codex asks; Haft runs outside this sandbox, by its own rules. (With --ask-for-approval never, Codex also declines questions of Haft, and haft approvals answers.)",
  commands("start", "codex --sandbox read-only --ask-for-approval on-request"),
  "For some models Codex hides all tools of MCP servers behind its tool search, and no setting prevents that: such a model has to search for them first.",
  "Check it (this shows the settings and starts nothing; /mcp in Codex shows the tools):",
  commands("check", "codex mcp get haft"),
  "To remove it:",
  commands(
    "remove",
    "codex mcp remove haft",
    "codex features enable shell_tool",
    "codex features enable unified_exec",
    "codex features enable view_image",
  ),
];

/** TOML also escapes U+007F. */
function tomlText(value: string): string {
  return JSON.stringify(value).replaceAll("\u007F", "\\u007F");
}

function agentFile(tools: string): string {
  const head = `---\nname: haft\ndescription: Works with files and commands through Haft.\ntools: [${tools}]\n---`;
  return `${head}\n\nUse the tools of haft for files and commands.`;
}

const copilotConfig: ClientConfig = (server) => [
  "Add Haft to all your projects. The workspace is the folder in which Copilot starts, unless you set --workspace:",
  commands(
    "add",
    `copilot mcp add haft ${words(...envOptions(server), "--", server.command, ...server.args)}`,
  ),
  "This file defines an agent that has Haft's tools, and no built-in tools of Copilot for files and commands:",
  file("markdown", "~/.copilot/agents/haft.agent.md", agentFile('"haft/*"')),
  "Start Copilot with this agent. Haft decides about each call, so Copilot need not ask about its tools:",
  commands("start", "copilot --agent haft --allow-tool haft"),
  "Without --agent haft, Copilot has its built-in tools as well.",
  "Check it:",
  commands("check", "copilot mcp get haft"),
  "To remove it:",
  commands("remove", "copilot mcp remove haft", "rm ~/.copilot/agents/haft.agent.md"),
];

const GEMINI_TOOLS =
  "run_shell_command read_file read_many_files write_file replace list_directory glob grep_search".split(" ");

const geminiConfig: ClientConfig = (server) => [
  "Add Haft to all your projects. The workspace is the folder in which Gemini CLI starts, unless you set --workspace. Haft decides about each call, so Gemini CLI trusts it:",
  commands(
    "add",
    `gemini mcp add --scope user --trust ${words(...envOptions(server, "-e"), "haft", server.command, "--", ...server.args)}`,
  ),
  "Exclude Gemini CLI's built-in tools for files and commands, in ~/.gemini/settings.json:",
  file("json", "~/.gemini/settings.json", json({ tools: { exclude: GEMINI_TOOLS } })),
  "Check it (this starts it, in folders that Gemini CLI trusts):",
  commands("check", "gemini mcp list"),
  "To remove it, also delete the line in the settings:",
  commands("remove", "gemini mcp remove --scope user haft"),
];

const OPENCODE_TOOLS = ["bash", "read", "edit", "glob", "grep", "list"];

const opencodeConfig: ClientConfig = ({ command, args, env }) => [
  "Add Haft to all your projects, and deny opencode's built-in tools for files and commands (edit includes write and patch). Add this to ~/.config/opencode/opencode.json, or to opencode.json of one project. The workspace is the folder in which opencode starts, unless you set --workspace:",
  file(
    "json",
    "~/.config/opencode/opencode.json",
    json({
      $schema: "https://opencode.ai/config.json",
      mcp: {
        haft: {
          type: "local",
          command: [command, ...args],
          enabled: true,
          ...(Object.keys(env).length > 0 && { environment: env }),
        },
      },
      permission: Object.fromEntries(OPENCODE_TOOLS.map((name) => [name, "deny"])),
    }),
  ),
  "Check it (this starts it):",
  commands("check", "opencode mcp list"),
  "To remove it, delete these lines.",
];

const vscodeConfig: ClientConfig = (server) => [
  "This is not tested in VS Code: it follows its documentation.",
  "Add Haft to a project, in .vscode/mcp.json. It contains paths of this machine, so do not commit it:",
  file(
    "json",
    ".vscode/mcp.json",
    json({ servers: { haft: { type: "stdio", ...stdioServer(inWorkspaceFolder(server)) } } }),
  ),
  "This file defines an agent that has Haft's tools, and no built-in tools of VS Code; choose it in the list of agents of the chat:",
  file("markdown", ".github/agents/haft.agent.md", agentFile("'haft/*'")),
  "Other agents have the built-in tools of VS Code as well.",
  'Check it: "MCP: List Servers" in the command palette starts and shows it. To remove it, delete both files.',
];

/** Editors start servers in any folder. */
function inWorkspaceFolder<S extends { args: readonly string[] }>(server: S): S {
  if (server.args.includes("--workspace")) return server;
  return { ...server, args: [...server.args, "--workspace", "${workspaceFolder}"] };
}

/** Cursor's built-in tools cannot be removed. */
const cursorConfig: ClientConfig = (server) => [
  "This is not tested in Cursor: it follows its documentation.",
  "Add Haft to all your projects in ~/.cursor/mcp.json, or to one project in .cursor/mcp.json:",
  file("json", "~/.cursor/mcp.json", json({ mcpServers: { haft: stdioServer(inWorkspaceFolder(server)) } })),
  "Cursor's built-in tools for files and commands cannot be removed: the model has them in addition to Haft's tools, and they bypass Haft. To prevent this, let a hook of Cursor ask Haft before each of its calls: haft help guard.",
  "Check it: Cursor's settings list it under MCP servers, with its tools. To remove it, delete these lines.",
];

const clientConfigs: Readonly<Record<ConfiguredClient, { title: string; config: ClientConfig }>> = {
  claude: { title: "Claude Code", config: claudeConfig },
  codex: { title: "Codex", config: codexConfig },
  gemini: { title: "Gemini CLI", config: geminiConfig },
  copilot: { title: "Copilot CLI", config: copilotConfig },
  opencode: { title: "opencode", config: opencodeConfig },
  vscode: { title: "VS Code", config: vscodeConfig },
  cursor: { title: "Cursor", config: cursorConfig },
};

export function printConfig(client: ConfiguredClient, server: ServerCommand): string {
  const { title, config } = clientConfigs[client];
  const paths = isTemporaryInstall(server)
    ? "Warning: npx started haft without an installation, and npm deletes its folder. Install it first (npm install --global haft), and print this again."
    : "These paths belong to this machine and this Node: print them again if either moves.";
  return [`# Haft in ${title}`, ...config(server), paths].map((part) => `${part}\n`).join("\n");
}
