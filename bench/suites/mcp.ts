import { join } from "node:path";
import type { Case, StartSubject, Suite } from "../suite.ts";
import { installBuilt } from "../work/install-built.ts";
import { type McpProgram, McpWork } from "../work/mcp-server.ts";

/** The command as it is installed. Its folder of state is there, so that what Node compiled is kept, as it is for users. */
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
      name: "from the start of a server to its first list of tools",
      about: "Over stdio, in the revision of 2025. limit: a loop over lines of JSON.",
      metrics: [
        { key: "time", label: "time", unit: "time" },
        { key: "memory", label: "memory then", unit: "bytes" },
      ],
      rounds: 20,
      ...both("start"),
    },
    {
      name: "what a model is told of the tools of a server",
      about: "Names, descriptions and input schemas, as characters / 4, and the whole answer to tools/list.",
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
      about: "500 reads, one after the other; 20 of Desktop Commander.",
      metrics: [
        { key: "p50", label: "half of them within", unit: "time" },
        { key: "p99", label: "99 of 100 within", unit: "time" },
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
      name: "ten edits of one file at once, over MCP",
      about: "Of each server, how many say that they are done, and how many are in the file.",
      metrics: [
        { key: "reported", label: "said to be done", unit: "count" },
        { key: "applied", label: "in the file", unit: "count" },
      ],
      rounds: 5,
      ...both("edits"),
    },
  ],
};
