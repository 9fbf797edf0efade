import { type ClientConfig, file, json, stdioServer } from "./printed.ts";
import { inWorkspaceFolder } from "./vscode.ts";

/** Cursor: its own tools cannot be taken away. */
export const cursorConfig: ClientConfig = (server) => [
  "Nobody of Haft has run this in Cursor: it is written by its documentation.",
  "Add Haft, for you in all projects in ~/.cursor/mcp.json, or to one in .cursor/mcp.json:",
  file("json", "~/.cursor/mcp.json", json({ mcpServers: { haft: stdioServer(inWorkspaceFolder(server)) } })),
  "Cursor's own tools for files and commands cannot be taken away: beside Haft's, the model has those, and they pass by Haft. Where they must not, let a hook of Cursor ask Haft before each of its calls: haft help guard.",
  "Is it there? Cursor's settings list it among the MCP servers, with its tools. To take it away, remove these lines.",
];
