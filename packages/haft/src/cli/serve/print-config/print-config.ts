import { shellWord } from "@haft/utils";
import type { ConfiguredClient } from "./configured-clients.ts";
import { isTemporaryInstall, type ServerCommand } from "./server-command.ts";

/** How a client is told of a server: paragraphs, and blocks that can be pasted. */
type ClientConfig = (server: ServerCommand) => readonly string[];

/** Commands that are typed: to `add` what is printed, to `check` and to `remove` it; `start` is how the client is started then. */
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

/** `command`, `args` and, where something has to be said, `env`: what most clients take. */
function stdioServer({ command, args, env }: ServerCommand): object {
  return { command, args, ...(Object.keys(env).length > 0 && { env }) };
}

/** The variables of a server as options of a client's `mcp add`: `--env NAME=VALUE`. */
function envOptions({ env }: ServerCommand, option = "--env"): string[] {
  return Object.entries(env).flatMap(([name, value]) => [option, `${name}=${value}`]);
}

/** Those that read or write files, or run commands. The ones that a version has not are no mistake. */
const CLAUDE_TOOLS = "Bash PowerShell Monitor Read Edit Write NotebookEdit Glob Grep".split(" ");

/** Claude Code: its own tools go when they are denied by name. */
const claudeConfig: ClientConfig = (server) => [
  "Add Haft, for you in all projects. The workspace is the folder in which Claude Code is started, unless you said --workspace:",
  commands(
    "add",
    `claude mcp add-json --scope user haft ${shellWord(JSON.stringify({ type: "stdio", ...stdioServer(server) }))}`,
  ),
  "Take Claude Code's own tools for files and commands away, and let Haft alone decide about its tools. This goes into ~/.claude/settings.json, or into .claude/settings.json of one project:",
  file(
    "json",
    "~/.claude/settings.json",
    json({ permissions: { allow: ["mcp__haft"], deny: CLAUDE_TOOLS } }),
  ),
  "Haft marks its tools for files and commands as always loaded, so that Claude Code does not hide them behind its tool search.",
  "What stays: files that you name with @ in a prompt, and commands that you type after !, are yours and pass by Haft.",
  "Is it there?",
  commands("check", "claude mcp get haft"),
  "Take it away again, and the lines of the settings with it:",
  commands("remove", "claude mcp remove --scope user haft"),
];

/** Codex: its shell is a feature that can be disabled; its apply_patch belongs to the model, and is held by its sandbox. */
const codexConfig: ClientConfig = ({ command, args, env }) => [
  "Add Haft, for you in all projects: this goes to the end of ~/.codex/config.toml. The workspace is the folder in which Codex is started, unless you said --workspace. Haft decides about each call, so Codex need not ask about its tools:",
  file(
    "toml",
    "~/.codex/config.toml",
    [
      "[mcp_servers.haft]",
      `command = ${tomlText(command)}`,
      `args = [${args.map(tomlText).join(", ")}]`,
      `default_tools_approval_mode = "approve"`,
      "# Without this, Codex does not wait for it, and a model that calls soon has no such tools.",
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
  "Take Codex's own tools for commands and pictures away:",
  commands(
    "add",
    "codex features disable shell_tool",
    "codex features disable unified_exec",
    "codex features disable view_image",
  ),
  "Its apply_patch cannot be taken away: models that know it are always offered it. Start Codex with its read-only sandbox, in which apply_patch changes nothing unless you allow it when Codex asks; Haft runs outside of that, by its own rules. (With --ask-for-approval never Codex also declines what Haft asks, and haft approvals answers.)",
  commands("start", "codex --sandbox read-only --ask-for-approval on-request"),
  "For some models Codex hides all tools of MCP servers behind its tool search, and there is no setting that keeps it from that: such a model has to look for them first.",
  "Is it there? (This shows the settings and starts nothing; /mcp in Codex shows the tools.)",
  commands("check", "codex mcp get haft"),
  "Take it away again:",
  commands(
    "remove",
    "codex mcp remove haft",
    "codex features enable shell_tool",
    "codex features enable unified_exec",
    "codex features enable view_image",
  ),
];

/** A string of TOML: what JSON has, but for the characters that JSON leaves as they are. */
function tomlText(value: string): string {
  return JSON.stringify(value).replaceAll("\u007F", "\\u007F");
}

/** An agent of a client, which has these tools and no others. */
function agentFile(tools: string): string {
  const head = `---\nname: haft\ndescription: Works with files and commands through Haft.\ntools: [${tools}]\n---`;
  return `${head}\n\nUse the tools of haft for files and commands.`;
}

/** Copilot CLI: an agent of its own that has Haft's tools and no others. */
const copilotConfig: ClientConfig = (server) => [
  "Add Haft, for you in all projects. The workspace is the folder in which Copilot is started, unless you said --workspace:",
  commands(
    "add",
    `copilot mcp add haft ${words(...envOptions(server), "--", server.command, ...server.args)}`,
  ),
  "An agent that has Haft's tools, and none of Copilot's own for files and commands, is this file:",
  file("markdown", "~/.copilot/agents/haft.agent.md", agentFile('"haft/*"')),
  "Start Copilot as that agent. Haft decides about each call, so Copilot need not ask about its tools:",
  commands("start", "copilot --agent haft --allow-tool haft"),
  "Without --agent haft, Copilot has its own tools as well.",
  "Is it there?",
  commands("check", "copilot mcp get haft"),
  "Take it away again:",
  commands("remove", "copilot mcp remove haft", "rm ~/.copilot/agents/haft.agent.md"),
];

const GEMINI_TOOLS =
  "run_shell_command read_file read_many_files write_file replace list_directory glob grep_search".split(" ");

/** Gemini CLI: its own tools are excluded by name. */
const geminiConfig: ClientConfig = (server) => [
  "Add Haft, for you in all projects. The workspace is the folder in which Gemini CLI is started, unless you said --workspace. Haft decides about each call, so Gemini CLI trusts it:",
  commands(
    "add",
    `gemini mcp add --scope user --trust ${words(...envOptions(server, "-e"), "haft", server.command, "--", ...server.args)}`,
  ),
  "Take Gemini CLI's own tools for files and commands away, in ~/.gemini/settings.json:",
  file("json", "~/.gemini/settings.json", json({ tools: { exclude: GEMINI_TOOLS } })),
  "Is it there? (This starts it, in folders that Gemini CLI trusts.)",
  commands("check", "gemini mcp list"),
  "Take it away again, and the line of the settings with it:",
  commands("remove", "gemini mcp remove --scope user haft"),
];

const OPENCODE_TOOLS = ["bash", "read", "edit", "glob", "grep", "list"];

/** opencode: its own tools go when they are denied. */
const opencodeConfig: ClientConfig = ({ command, args, env }) => [
  "Add Haft, for you in all projects, and take opencode's own tools for files and commands away (edit is write and patch, too). This goes into ~/.config/opencode/opencode.json, or into opencode.json of one project. The workspace is the folder in which opencode is started, unless you said --workspace:",
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
  "Is it there? (This starts it.)",
  commands("check", "opencode mcp list"),
  "Take these lines away again, and all is as it was.",
];

/** VS Code: an agent of its own that has Haft's tools and no others. */
const vscodeConfig: ClientConfig = (server) => [
  "Nobody of Haft has run this in VS Code: it is written by its documentation.",
  "Add Haft to a project, in .vscode/mcp.json. It names this machine's Node and Haft, so it is nothing to commit:",
  file(
    "json",
    ".vscode/mcp.json",
    json({ servers: { haft: { type: "stdio", ...stdioServer(inWorkspaceFolder(server)) } } }),
  ),
  "An agent that has Haft's tools, and none of VS Code's own, is this file; choose it in the list of agents of the chat:",
  file("markdown", ".github/agents/haft.agent.md", agentFile("'haft/*'")),
  "Other agents have VS Code's own tools as well.",
  'Is it there? "MCP: List Servers" in the command palette starts and shows it. To take it away, remove both files.',
];

/** Editors start servers wherever they were started themselves, so the workspace has to be said. */
function inWorkspaceFolder<S extends { args: readonly string[] }>(server: S): S {
  if (server.args.includes("--workspace")) return server;
  return { ...server, args: [...server.args, "--workspace", "${workspaceFolder}"] };
}

/** Cursor: its own tools cannot be taken away. */
const cursorConfig: ClientConfig = (server) => [
  "Nobody of Haft has run this in Cursor: it is written by its documentation.",
  "Add Haft, for you in all projects in ~/.cursor/mcp.json, or to one in .cursor/mcp.json:",
  file("json", "~/.cursor/mcp.json", json({ mcpServers: { haft: stdioServer(inWorkspaceFolder(server)) } })),
  "Cursor's own tools for files and commands cannot be taken away: beside Haft's, the model has those, and they pass by Haft. Where they must not, let a hook of Cursor ask Haft before each of its calls: haft help guard.",
  "Is it there? Cursor's settings list it among the MCP servers, with its tools. To take it away, remove these lines.",
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

/** What a person does so that a client starts this server, and has no tools beside it where that can be had: Markdown. */
export function printConfig(client: ConfiguredClient, server: ServerCommand): string {
  const { title, config } = clientConfigs[client];
  const paths = isTemporaryInstall(server)
    ? "Careful: haft was started by npx without being installed, and that folder does not stay. Install it first (npm install --global haft), and print this again."
    : "These paths are this machine's, and this Node's: print them again when either moved.";
  return [`# Haft in ${title}`, ...config(server), paths].map((part) => `${part}\n`).join("\n");
}
