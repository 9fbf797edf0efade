import { type ClientConfig, commands, envOptions, file, json, words } from "./printed.ts";

const OWN_TOOLS = [
  "run_shell_command",
  "read_file",
  "read_many_files",
  "write_file",
  "replace",
  "list_directory",
  "glob",
  "grep_search",
];

/** Gemini CLI: its own tools are excluded by name. */
export const geminiConfig: ClientConfig = (server) => [
  "Add Haft, for you in all projects. The workspace is the folder in which Gemini CLI is started, unless you said --workspace. Haft decides about each call, so Gemini CLI trusts it:",
  commands(
    "add",
    words([
      "gemini",
      "mcp",
      "add",
      "--scope",
      "user",
      "--trust",
      ...envOptions(server, "-e"),
      "haft",
      server.command,
      "--",
      ...server.args,
    ]),
  ),
  "Take Gemini CLI's own tools for files and commands away, in ~/.gemini/settings.json:",
  file("json", "~/.gemini/settings.json", json({ tools: { exclude: OWN_TOOLS } })),
  "Is it there? (This starts it, in folders that Gemini CLI trusts.)",
  commands("check", "gemini mcp list"),
  "Take it away again, and the line of the settings with it:",
  commands("remove", "gemini mcp remove --scope user haft"),
];
