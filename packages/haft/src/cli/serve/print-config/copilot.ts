import { type ClientConfig, commands, envOptions, file, words } from "./printed.ts";

/** Copilot CLI: an agent of its own that has Haft's tools and no others. */
export const copilotConfig: ClientConfig = (server) => [
  "Add Haft, for you in all projects. The workspace is the folder in which Copilot is started, unless you said --workspace:",
  commands(
    "add",
    words(["copilot", "mcp", "add", "haft", ...envOptions(server), "--", server.command, ...server.args]),
  ),
  "An agent that has Haft's tools, and none of Copilot's own for files and commands, is this file:",
  file(
    "markdown",
    "~/.copilot/agents/haft.agent.md",
    [
      "---",
      "name: haft",
      "description: Works with files and commands through Haft.",
      'tools: ["haft/*"]',
      "---",
      "",
      "Use the tools of haft for files and commands.",
    ].join("\n"),
  ),
  "Start Copilot as that agent. Haft decides about each call, so Copilot need not ask about its tools:",
  commands("start", "copilot --agent haft --allow-tool haft"),
  "Without --agent haft, Copilot has its own tools as well.",
  "Is it there?",
  commands("check", "copilot mcp get haft"),
  "Take it away again:",
  commands("remove", "copilot mcp remove haft", "rm ~/.copilot/agents/haft.agent.md"),
];
