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
/** The host that opens a tool reports its problems. */
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
// Checks only values that Haft uses.
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
