import type { CommentsOptions, LogLevel, RolldownLog } from "rolldown";

/** Those that users read are in the types and, through the maps, in the sources. Licences stay. */
export const NO_COMMENTS: CommentsOptions = { legal: true, annotation: false, jsdoc: false };

/** Treats warnings of the bundler as errors, except warnings about a slow build. */
export function throwWarnings(level: LogLevel, { message, code }: RolldownLog): void {
  if (level === "warn" && code !== "PLUGIN_TIMINGS") throw new Error(message);
}
