import { checkValue } from "@haft/core/internal";
import type { DescribedPlugin } from "../describe-plugin.ts";
import type { PluginProblem } from "../plugin-problem.ts";
import type { PluginRecord } from "../plugin-record.ts";

/** What a trial says, a line each. The last but `exit` is how it ended. */
export type TrialLine =
  | { uses: string }
  | { misses: string }
  | { problem: PluginProblem; isUntrusted?: boolean }
  | { loader: PluginRecord["loader"]; described: DescribedPlugin; notes: readonly string[] }
  | { exit: number };

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const of = (properties: Readonly<Record<string, object>>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});
/** What is wrong in a tool itself is told by the host that opens it. */
const TOOL = of({
  name: TEXT,
  description: TEXT,
  parameters: { type: "object" },
  effects: TEXTS,
  plans: { type: "boolean" },
  wantsPlan: { type: "boolean" },
});
const REGISTRATION = of({ names: TEXTS, channels: TEXTS, tools: { type: "array", items: TOOL } }, ["names"]);
// What nobody asks of plugins, such as the type of a version, is not asked of what is said of them.
const PLUGIN = of({ id: TEXT, replaces: TEXTS, registrations: { type: "array", items: REGISTRATION } }, [
  "id",
  "registrations",
]);
const CODES = [
  "PLUGIN_UNLOADABLE",
  "PLUGIN_CHANGED",
  "PLUGIN_INVALID",
  "CONTRACT_UNKNOWN",
] satisfies PluginProblem["code"][];
const LINES = [
  of({ uses: TEXT }),
  of({ misses: TEXT }),
  of({ problem: of({ code: { enum: CODES }, message: TEXT, fix: TEXT }) }),
  of({ loader: { enum: ["node", "tsx"] }, described: PLUGIN, notes: TEXTS }),
  of({ exit: { type: "integer" } }),
];

/** `undefined` for what is none: a plugin can write to that descriptor, too, and must not break who reads it. */
export function readTrialLine(line: string): TrialLine | undefined {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return undefined;
  }
  return LINES.some((each) => checkValue(each, said, 1).length === 0) ? (said as TrialLine) : undefined;
}
