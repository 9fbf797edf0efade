import { type ClientConfig, file, json, stdioServer } from "./printed.ts";

/** VS Code: an agent of its own that has Haft's tools and no others. */
export const vscodeConfig: ClientConfig = (server) => [
  "Nobody of Haft has run this in VS Code: it is written by its documentation.",
  "Add Haft to a project, in .vscode/mcp.json. It names this machine's Node and Haft, so it is nothing to commit:",
  file(
    "json",
    ".vscode/mcp.json",
    json({ servers: { haft: { type: "stdio", ...stdioServer(inWorkspaceFolder(server)) } } }),
  ),
  "An agent that has Haft's tools, and none of VS Code's own, is this file; choose it in the list of agents of the chat:",
  file(
    "markdown",
    ".github/agents/haft.agent.md",
    [
      "---",
      "name: haft",
      "description: Works with files and commands through Haft.",
      "tools: ['haft/*']",
      "---",
      "",
      "Use the tools of haft for files and commands.",
    ].join("\n"),
  ),
  "Other agents have VS Code's own tools as well.",
  'Is it there? "MCP: List Servers" in the command palette starts and shows it. To take it away, remove both files.',
];

/** Editors start servers wherever they were started themselves, so the workspace has to be said. */
export function inWorkspaceFolder<S extends { args: readonly string[] }>(server: S): S {
  if (server.args.includes("--workspace")) return server;
  return { ...server, args: [...server.args, "--workspace", "${workspaceFolder}"] };
}
