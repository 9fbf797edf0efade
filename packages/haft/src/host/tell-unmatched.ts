import type { Logger } from "@haft/core";
import type { PolicyWarning } from "@haft/policy";
import { formatProblem } from "./format-problem.ts";

/** What this process has said on standard error: a program may start many hosts. */
const told = new Set<string>();

/** Tells what the administrator's document denies and this host does not have: a denial may be mistyped. */
export function tellUnmatched(warnings: readonly PolicyWarning[], logger: Logger | undefined): void {
  for (const warning of warnings) {
    const text = formatProblem(warning.source, warning);
    if (logger) {
      logger.warn(text);
      continue;
    }
    if (told.has(text)) continue;
    told.add(text);
    // Never to standard output, where answers are.
    console.error(`haft: ${text}`);
  }
}
