import type { CommentsOptions, LogLevel, RolldownLog } from "rolldown";

/** Types and source maps have the comments; licences stay. */
export const NO_COMMENTS: CommentsOptions = { legal: true, annotation: false, jsdoc: false };

/** Warnings are errors, except about a slow build. */
export function throwWarnings(level: LogLevel, { message, code }: RolldownLog): void {
  if (level === "warn" && code !== "PLUGIN_TIMINGS") throw new Error(message);
}
