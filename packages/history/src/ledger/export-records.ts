import { maskSecrets } from "@haft/core/internal/records";
import type { StreamedRun } from "./recorded-run.ts";

/**
 * Returns runs with their calls as JSON or lines of JSON. It returns pieces, because the whole can exceed the
 * memory. Known secrets are masked.
 *
 * @example
 * ```ts
 * import type { LedgerStore, RunRecord } from "@haft/core/kernel";
 * import { exportRecords, iterateRunCalls } from "@haft/history";
 * declare const ledger: LedgerStore;
 * declare const run: RunRecord;
 * const runs = [{ run, calls: () => iterateRunCalls(ledger, run.runId) }];
 * for await (const piece of exportRecords(runs, "jsonl")) process.stdout.write(piece);
 * ```
 */
export function exportRecords(
  runs: readonly StreamedRun[],
  format: "json" | "jsonl",
): AsyncGenerator<string> {
  return format === "json" ? asJson(runs) : asLines(runs);
}

function text(value: unknown): string {
  return JSON.stringify(maskSecrets(value));
}

async function* asJson(runs: readonly StreamedRun[]): AsyncGenerator<string> {
  yield '{"runs":[';
  for (const [index, { run, calls }] of runs.entries()) {
    yield `${index === 0 ? "" : ","}{"run":${text(run)},"calls":[`;
    let between = "";
    for await (const call of calls()) {
      yield between + text(call);
      between = ",";
    }
    yield "]}";
  }
  yield "]}\n";
}

async function* asLines(runs: readonly StreamedRun[]): AsyncGenerator<string> {
  for (const { run, calls } of runs) {
    yield `${text({ run })}\n`;
    for await (const call of calls()) yield `${text({ runId: run.runId, call })}\n`;
  }
}
