import { maskSecrets } from "@haft/core/internal/records";
import type { StreamedRun } from "./recorded-run.ts";

/** Runs as JSON, or as lines of JSON, to be passed on, secrets covered; in pieces, since it may be longer than memory is large. */
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
