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
