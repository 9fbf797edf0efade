import { coverValue } from "@haft/core/internal/records";
import type { RunToRead } from "./recorded-run.ts";

/** Runs as JSON, or as lines of JSON, to be passed on, secrets covered; in pieces, since it may be longer than memory is large. */
export function exportRecords(runs: readonly RunToRead[], format: "json" | "jsonl"): AsyncGenerator<string> {
  return format === "json" ? asJson(runs) : asLines(runs);
}

/** What waits for a decision is kept with its secrets; whoever is given a file is not to have them. */
function text(value: unknown): string {
  return JSON.stringify(coverValue(value));
}

async function* asJson(runs: readonly RunToRead[]): AsyncGenerator<string> {
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

async function* asLines(runs: readonly RunToRead[]): AsyncGenerator<string> {
  for (const { run, calls } of runs) {
    yield `${text({ run })}\n`;
    for await (const call of calls()) yield `${text({ runId: run.runId, call })}\n`;
  }
}
