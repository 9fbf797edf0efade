import { coverValue } from "@haft/core/internal/records";
import type { RecordedRun } from "./recorded-run.ts";
import { formatReport } from "./report/report.ts";

/** How recorded runs are passed on: as a page, or as records. */
export type ExportFormat = "html" | "json" | "jsonl";

/** Runs as a text to be passed on, secrets covered. @param name for the title of one that has no run */
export function exportRecorded(name: string, runs: readonly RecordedRun[], format: ExportFormat): string {
  const [first] = runs;
  if (format === "html") return formatReport(first?.run.sessionKey ?? name, runs, Date.now());
  // What waits for a decision is kept with its secrets; whoever is given a file is not to have them.
  const shown = coverValue(runs);
  if (format === "json") return `${JSON.stringify({ runs: shown })}\n`;
  return shown
    .flatMap(({ run, calls }) => [{ run }, ...calls.map((call) => ({ runId: run.runId, call }))])
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}
