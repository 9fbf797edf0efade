import { join } from "node:path";
import { McpWork } from "../work/mcp-server.ts";

// Peers as servers over stdio.

const filesystem = {
  args: (folder) => [
    join(import.meta.dirname, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"),
    folder,
  ],
  read: { name: "read_text_file", args: (path) => ({ path }) },
  edit: { name: "edit_file", args: (path, oldText, newText) => ({ path, edits: [{ oldText, newText }] }) },
};

const measuring = (what) => () => {
  const work = new McpWork(filesystem);
  return { sample: () => work[what](), close: () => work.close() };
};

export const start = measuring("start");
export const tools = measuring("tools");
export const reads = measuring("reads");
export const large = measuring("large");
export const edits = measuring("edits");
