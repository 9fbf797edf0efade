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

/** Each of its calls starts programs to find out where it runs, so it has fewer of them. It keeps what it is set to in the home folder. */
const commander = {
  args: () => [
    join(import.meta.dirname, "node_modules/@wonderwhy-er/desktop-commander/dist/index.js"),
    "--no-onboarding",
  ],
  // Nothing of it leaves this machine: nobody listens there.
  env: (state) => ({
    HOME: state,
    DESKTOP_COMMANDER_DISABLE_TELEMETRY: "true",
    DC_FLAG_URL: "http://127.0.0.1:9/",
  }),
  reads: 20,
  read: { name: "read_file", args: (path) => ({ path }) },
  edit: {
    name: "edit_block",
    args: (path, oldText, newText) => ({ file_path: path, old_string: oldText, new_string: newText }),
  },
};

const measuring =
  (what, program = filesystem) =>
  () => {
    const work = new McpWork(program);
    return { sample: () => work[what](), close: () => work.close() };
  };

export const start = measuring("start");
export const tools = measuring("tools");
export const reads = measuring("reads");
export const large = measuring("large");
export const edits = measuring("edits");
export const commanderStart = measuring("start", commander);
export const commanderTools = measuring("tools", commander);
export const commanderReads = measuring("reads", commander);
export const commanderLarge = measuring("large", commander);
export const commanderEdits = measuring("edits", commander);
