import type { DescribedPlugin, PluginProblem } from "../describe/describe-plugin.ts";
import type { PluginRecord } from "../load/plugin-record.ts";
import { readChildLine, objectShape } from "./child-program.ts";

export type TrialLine =
  | { uses: string }
  | { misses: string }
  | { problem: PluginProblem; isUntrusted?: boolean }
  | { loader: PluginRecord["loader"]; described: DescribedPlugin; notes: readonly string[] }
  | { exit: number };

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
/** What is wrong in a tool itself is told by the host that opens it. */
const TOOL = objectShape({
  name: TEXT,
  description: TEXT,
  parameters: { type: "object" },
  effects: TEXTS,
  plans: { type: "boolean" },
  wantsPlan: { type: "boolean" },
});
const REGISTRATION = objectShape({ names: TEXTS, channels: TEXTS, tools: { type: "array", items: TOOL } }, [
  "names",
]);
// What nobody asks of plugins, such as the type of a version, is not asked of what is said of them.
const PLUGIN = objectShape(
  { id: TEXT, replaces: TEXTS, registrations: { type: "array", items: REGISTRATION } },
  ["id", "registrations"],
);
const CODES = [
  "PLUGIN_UNLOADABLE",
  "PLUGIN_CHANGED",
  "PLUGIN_INVALID",
  "CONTRACT_UNKNOWN",
] satisfies PluginProblem["code"][];
const LINES = [
  objectShape({ uses: TEXT }),
  objectShape({ misses: TEXT }),
  objectShape({ problem: objectShape({ code: { enum: CODES }, message: TEXT, fix: TEXT }) }),
  objectShape({ loader: { enum: ["node", "tsx"] }, described: PLUGIN, notes: TEXTS }),
  objectShape({ exit: { type: "integer" } }),
];

export const readTrialLine = (line: string) => readChildLine(line, LINES) as TrialLine | undefined;
