import { join } from "node:path";
import type { Case, StartSubject, Suite } from "../suite.ts";
import { installBuilt } from "../work/install-built.ts";
import { type McpProgram, McpWork } from "../work/mcp-server.ts";

/** The installed command, with a state folder for Node's compiled code. */
const haft = (installed: string): McpProgram => ({
  args: () => [join(installed, "node_modules/haft/dist/cli/main.js"), "serve", "--no-config"],
  read: { name: "read", args: (path, nth) => ({ path, limit: 2_000 + nth }) },
  edit: { name: "edit", args: (path, oldText, newText) => ({ path, oldText, newText }) },
});

const bare: McpProgram = {
  args: () => [join(import.meta.dirname, "../work/bare-mcp.mjs")],
  read: { name: "read", args: (path) => ({ path }) },
  edit: { name: "edit", args: (path, oldText, newText) => ({ path, oldText, newText }) },
};

type Measured = "start" | "tools" | "reads" | "large" | "edits";

const measuring =
  (programOf: (installed: string) => McpProgram, what: Measured): StartSubject =>
  (installed) => {
    const work = new McpWork(programOf(installed));
    return { sample: () => work[what](), close: () => work.close() };
  };

const both = (what: Measured): Pick<Case, "subjects" | "peers"> => ({
  subjects: { Haft: measuring(haft, what), limit: measuring(() => bare, what) },
  peers: {
    "server-filesystem": what,
    "Desktop Commander": `commander${what.slice(0, 1).toUpperCase()}${what.slice(1)}`,
  },
});

export const suite: Suite = {
  name: "mcp",
  title: "Serving over MCP",
  prepare: installBuilt,
  cases: [
    {
      name: "server start to first tool list",
      about: "Over stdio, in the revision of 2025. limit: a loop over JSON lines.",
      metrics: [
        { key: "time", label: "time", unit: "time" },
        { key: "memory", label: "memory", unit: "bytes" },
      ],
      rounds: 20,
      ...both("start"),
    },
    {
      name: "tool descriptions for the model",
      about:
        "Tokens: characters / 4 of names, descriptions and input schemas. `tools/list`: the whole answer.",
      metrics: [
        { key: "tools", label: "tools", unit: "count" },
        { key: "tokens", label: "tokens", unit: "count" },
        { key: "bytes", label: "tools/list", unit: "bytes" },
      ],
      rounds: 1,
      ...both("tools"),
    },
    {
      name: "read a small file over MCP",
      about: "500 consecutive reads; Desktop Commander: 20.",
      metrics: [
        { key: "p50", label: "median", unit: "time" },
        { key: "p99", label: "99th percentile", unit: "time" },
      ],
      ...both("reads"),
    },
    {
      name: "read a text of 10 MB over MCP",
      metrics: [
        { key: "time", label: "time", unit: "time" },
        { key: "bytes", label: "sent", unit: "bytes" },
      ],
      rounds: 5,
      ...both("large"),
    },
    {
      name: "ten concurrent edits of one file over MCP",
      about: "Edits that the server reports as done, and edits in the file.",
      metrics: [
        { key: "reported", label: "reported as done", unit: "count" },
        { key: "applied", label: "in the file", unit: "count" },
      ],
      rounds: 5,
      ...both("edits"),
    },
  ],
};
