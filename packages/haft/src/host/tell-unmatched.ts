import type { Logger } from "@haft/core";
import type { PolicyWarning } from "@haft/policy";
import type { LookedFor } from "../config/find-configuration.ts";
import { formatProblem } from "../config/format-problem.ts";

/** What this process has said on standard error: a program may start many hosts. */
const told = new Set<string>();

/** Tells what the administrator's document denies and this host does not have: a denial may be mistyped. */
export function tellUnmatched(warnings: readonly PolicyWarning[], logger: Logger | undefined): void {
  for (const warning of warnings) {
    tell(formatProblem(warning.source, warning), logger, "warn");
  }
}

/** Tells of configurations that are there and were not used: somebody counts on what they say. */
export function tellPassedOver(looked: readonly LookedFor[], logger: Logger | undefined): void {
  for (const { path, outcome, why = "" } of looked) {
    if (outcome !== "passed over") continue;
    // Problems of its text have their place in front already.
    const text = why.startsWith(path) ? why : `${path} ${why}.`;
    // One line at a time: loggers show the end of a line within a text as what it is, an escape.
    for (const line of [...text.split("\n"), `${path} is not used; what other files say holds.`])
      tell(line, logger, "error");
  }
}

function tell(text: string, logger: Logger | undefined, level: "warn" | "error"): void {
  if (logger) {
    logger[level](text);
    return;
  }
  if (told.has(text)) return;
  told.add(text);
  // Never to standard output, where answers are.
  console.error(`haft: ${text}`);
}
