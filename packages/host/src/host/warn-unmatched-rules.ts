import { formatProblem, type ConfigurationCandidate } from "@haft/config/internal/document";
import type { Logger } from "@haft/core";
import type { ExplainingPolicy } from "@haft/policy";

type PolicyWarning = ExplainingPolicy["warnings"][number];

const reported = new Set<string>();
/** Limits the lines for one document: a workspace's file may have thousands of problems. */
const MAX_WARNINGS = 20;

/** Warns about denied tools of the administrator's document that this host does not have: a name may be mistyped. */
export function warnUnmatchedRules(warnings: readonly PolicyWarning[], logger: Logger | undefined): void {
  for (const [source, all] of Map.groupBy(warnings, (warning) => warning.source)) {
    for (const warning of all.slice(0, MAX_WARNINGS))
      reportMessage(formatProblem(source, warning), logger, "warn");
    const more = all.length - MAX_WARNINGS;
    if (more > 0) reportMessage(`${source}: ${more} more entries match no tool here.`, logger, "warn");
  }
}

/**
 * Warns about configurations that exist and were not used.
 *
 * @param active files whose earlier rules remain in force
 */
export function warnSkippedConfigurations(
  looked: readonly ConfigurationCandidate[],
  logger: Logger | undefined,
  active: ReadonlySet<string> = new Set(),
): void {
  for (const { path, outcome, why = "", notes = [] } of looked) {
    for (const note of notes) reportMessage(note, logger, "warn");
    if (outcome !== "passed over") continue;
    const text = why.startsWith(path) ? why : `${path} ${why}.`;
    const instead = active.has(path) ? "its earlier content stays in force" : "other files stay in force";
    reportProblem(`${text}\n${path} is not used; ${instead}.`, logger);
  }
}

export function reportProblem(text: string, logger: Logger | undefined): void {
  // Reports one line at a time, because loggers escape line ends.
  for (const line of text.split("\n")) reportMessage(line, logger, "error");
}

export function reportMessage(text: string, logger: Logger | undefined, level: "warn" | "error"): void {
  if (logger) {
    logger[level](text);
    return;
  }
  if (reported.has(text)) return;
  reported.add(text);
  // Standard output is reserved for results.
  console.error(`haft: ${text}`);
}
