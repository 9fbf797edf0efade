import type { Metric, StartSubject, Suite } from "../suite.ts";
import { installBuilt } from "../work/install-built.ts";
import { importCost, installedSize, processCost } from "../work/installed.ts";

const COST: readonly Metric[] = [
  { key: "time", label: "time", unit: "time" },
  { key: "cpu", label: "CPU time", unit: "time" },
  { key: "memory", label: "memory", unit: "bytes" },
];
const SIZE: readonly Metric[] = [
  { key: "bytes", label: "size", unit: "bytes" },
  { key: "packages", label: "packages", unit: "count" },
];

const importing =
  (specifier: string): StartSubject =>
  (folder) => ({ sample: () => importCost(folder, specifier) });

const starting =
  (...args: string[]): StartSubject =>
  (folder) => ({ sample: () => processCost(folder, args) });

const installed =
  (name: string, optional: boolean): StartSubject =>
  (folder) => ({
    sample: () => installedSize(folder, name, { optional }),
  });

export const suite: Suite = {
  name: "imports",
  title: "Importing and installing",
  prepare: installBuilt,
  cases: [
    {
      name: "import",
      about:
        "Packages from their tarballs, in a new process, without the cost of Node itself. " +
        "Haft: `haft` with all built-in tools. limit: a module that Node has loaded.",
      metrics: COST,
      subjects: {
        Haft: importing("haft"),
        "Haft, @haft/core alone": importing("@haft/core"),
        "Haft, one tool: @haft/tools-fs": importing("@haft/tools-fs"),
        limit: importing("node:path"),
      },
      peers: {
        "AI SDK": "importAi",
        "MCP SDK": "importMcp",
        "OpenAI Agents": "importAgents",
        pi: "importPi",
      },
    },
    {
      name: "start of the command",
      about: "From start to end of the process. limit: `node -e 0`.",
      metrics: [{ key: "time", label: "", unit: "time" }],
      rounds: 25,
      subjects: {
        Haft: starting("node_modules/haft/dist/cli/main.js", "--version"),
        "Haft, config schema": starting("node_modules/haft/dist/cli/main.js", "config", "schema"),
        limit: starting("-e", "0"),
      },
    },
    {
      name: "install",
      about: "With all dependencies. Optional: the image codec and its native library.",
      metrics: SIZE,
      rounds: 1,
      subjects: {
        Haft: installed("haft", false),
        "Haft with optional dependencies": installed("haft", true),
        "Haft, @haft/core alone": installed("@haft/core", false),
      },
      peers: {
        "AI SDK": "sizeOfAi",
        "MCP SDK": "sizeOfMcp",
        "OpenAI Agents": "sizeOfAgents",
        pi: "sizeOfPi",
      },
    },
  ],
};
