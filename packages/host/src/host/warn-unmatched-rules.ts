import { formatProblem, type ConfigurationCandidate } from "@haft/config/internal/document";
import type { Logger } from "@haft/core";
import type { PolicyWarning } from "@haft/policy";

const told = new Set<string>();
/** Lines for one document: a workspace's can have thousands. */
const MAX_WARNINGS = 20;

/** Tells what the administrator's document denies and this host does not have: a denial may be mistyped. */
export function warnUnmatchedRules(warnings: readonly PolicyWarning[], logger: Logger | undefined): void {
  for (const [source, all] of Map.groupBy(warnings, (warning) => warning.source)) {
    for (const warning of all.slice(0, MAX_WARNINGS))
      reportMessage(formatProblem(source, warning), logger, "warn");
    const more = all.length - MAX_WARNINGS;
    if (more > 0) reportMessage(`${source}: ${more} more entries that nothing here has.`, logger, "warn");
  }
}

/**
 * Tells of configurations that are there and were not used: somebody counts on what they say.
 *
 * @param kept those whose rules of before are in force instead
 */
export function warnSkippedConfigurations(
  looked: readonly ConfigurationCandidate[],
  logger: Logger | undefined,
  kept: ReadonlySet<string> = new Set(),
): void {
  for (const { path, outcome, why = "", notes = [] } of looked) {
    for (const note of notes) reportMessage(note, logger, "warn");
    if (outcome !== "passed over") continue;
    // Problems of its text have their place in front already.
    const text = why.startsWith(path) ? why : `${path} ${why}.`;
    const instead = kept.has(path) ? "what it said before holds" : "what other files say holds";
    reportProblem(`${text}\n${path} is not used; ${instead}.`, logger);
  }
}

export function reportProblem(text: string, logger: Logger | undefined): void {
  // One line at a time: loggers show the end of a line within a text as what it is, an escape.
  for (const line of text.split("\n")) reportMessage(line, logger, "error");
}

export function reportMessage(text: string, logger: Logger | undefined, level: "warn" | "error"): void {
  if (logger) {
    logger[level](text);
    return;
  }
  if (told.has(text)) return;
  told.add(text);
  // Never to standard output, where answers are.
  console.error(`haft: ${text}`);
}
