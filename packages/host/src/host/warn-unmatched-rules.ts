import { formatProblem, type ConfigurationCandidate } from "@haft/config/internal/document";
import type { Logger } from "@haft/core";
import type { ExplainingPolicy } from "@haft/policy";

type PolicyWarning = ExplainingPolicy["warnings"][number];

const reported = new Set<string>();
/** Lines per document; a workspace's file may have thousands of problems. */
const MAX_WARNINGS = 20;

/** Warns about tools that the administrator denies and this host lacks: possible misspellings. */
export function warnUnmatchedRules(warnings: readonly PolicyWarning[], logger: Logger | undefined): void {
  for (const [source, all] of Map.groupBy(warnings, (warning) => warning.source)) {
    for (const warning of all.slice(0, MAX_WARNINGS))
      reportMessage(formatProblem(source, warning), logger, "warn");
    const more = all.length - MAX_WARNINGS;
    if (more > 0) reportMessage(`${source}: ${more} more entries match no tool here.`, logger, "warn");
  }
}

/**
 * Warns about unused configurations.
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
  // Loggers escape line ends.
  for (const line of text.split("\n")) reportMessage(line, logger, "error");
}

export function reportMessage(text: string, logger: Logger | undefined, level: "warn" | "error"): void {
  if (logger) {
    logger[level](text);
    return;
  }
  if (reported.has(text)) return;
  reported.add(text);
  console.error(`haft: ${text}`);
}
