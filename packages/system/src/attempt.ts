/**
 * Returns the result of a function, and `undefined` when it throws. Use it for a question to the system whose refusal is an
 * answer: the file does not exist, or this user may not read it.
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
