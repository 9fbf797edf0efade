/**
 * Returns the result of a function, or `undefined` if it throws: for questions to the system.
 *
 * @example
 * ```ts run
 * import { readFileSync } from "node:fs";
 * import { attempt } from "@haft/system";
 * attempt(() => readFileSync("no-such-file", "utf8")) ?? "default"; // => "default"
 * ```
 */
export function attempt<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
