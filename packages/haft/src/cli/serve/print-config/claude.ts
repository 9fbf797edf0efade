import { type ClientConfig, commands, file, json, stdioServer, words } from "./printed.ts";

/** Those that read or write files, or run commands. The ones that a version has not are no mistake. */
const OWN_TOOLS = ["Bash", "PowerShell", "Monitor", "Read", "Edit", "Write", "NotebookEdit", "Glob", "Grep"];

/** Claude Code: its own tools go when they are denied by name. */
export const claudeConfig: ClientConfig = (server) => [
  "Add Haft, for you in all projects. The workspace is the folder in which Claude Code is started, unless you said --workspace:",
  commands(
    "add",
    words([
      "claude",
      "mcp",
      "add-json",
      "--scope",
      "user",
      "haft",
      JSON.stringify({ type: "stdio", ...stdioServer(server) }),
    ]),
  ),
  "Take Claude Code's own tools for files and commands away, and let Haft alone decide about its tools. This goes into ~/.claude/settings.json, or into .claude/settings.json of one project:",
  file("json", "~/.claude/settings.json", json({ permissions: { allow: ["mcp__haft"], deny: OWN_TOOLS } })),
  "Haft marks its tools for files and commands as always loaded, so that Claude Code does not hide them behind its tool search.",
  "What stays: files that you name with @ in a prompt, and commands that you type after !, are yours and pass by Haft.",
  "Is it there?",
  commands("check", "claude mcp get haft"),
  "Take it away again, and the lines of the settings with it:",
  commands("remove", "claude mcp remove --scope user haft"),
];
