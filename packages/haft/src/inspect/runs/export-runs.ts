import { maskSecrets } from "@haft/core/internal/records";
import type { RunRecord } from "@haft/core/kernel";
import type { InspectorSource, ExportRecord } from "@haft/inspector";
import { iterateRunCalls } from "../../ledger/all-calls.ts";
import type { StreamedRun } from "../../ledger/recorded-run.ts";
import { loadOptionalPackage } from "../../plugins/packages/optional-package.ts";
import { recordedDetail } from "../calls/call-detail.ts";
import { callRow } from "../calls/call-row.ts";
import type { InspectionContext, ReadLedger } from "../inspection-context.ts";
import { runFromRecord } from "./run-view.ts";

export type ExportFormat = "html" | "json" | "jsonl";

/** A run, or all runs of a conversation, the oldest first; `undefined` where there is none. Calls are read as the text is taken. */
export async function openExport(
  { ledger }: InspectionContext,
  { run, session, format }: Parameters<InspectorSource["openExport"]>[0],
): ReturnType<InspectorSource["openExport"]> {
  const kept = ledger();
  const found = run === undefined ? await runsOf(kept, session) : [await kept.run(run)];
  const runs = found
    .filter((record) => record !== undefined)
    .map((record) => ({ run: record, calls: () => iterateRunCalls(kept, record.runId) }));
  if (runs.length === 0) return undefined;
  const name = run ?? session ?? "";
  return { name: `haft-${name}.${format}`, pieces: exportRuns(runs, format) };
}

export function exportRuns(runs: readonly StreamedRun[], format: ExportFormat): AsyncGenerator<string> {
  return format === "html" ? exportAsPage(runs) : exportRecords(runs, format);
}

async function runsOf(ledger: ReadLedger, session: string | undefined): Promise<RunRecord[]> {
  const all: RunRecord[] = [];
  const of = session === undefined ? {} : { sessionKey: session };
  for (let after: string | undefined; ;) {
    const page = await ledger.runs({ ...of, limit: 1_000, ...(after !== undefined && { after }) });
    all.push(...page.items);
    after = page.next;
    if (after === undefined) return all.toReversed();
  }
}

/** Characters of calls with their details. The calls behind them are exported as a list shows them. */
const MAX_EXPORT_CHARACTERS = 64 * 1024 * 1024;

/**
 * Runs as the inspector's page with their calls inside, secrets covered; in pieces. Needs `@haft/inspector`.
 *
 * @param maxCharacters see {@link MAX_EXPORT_CHARACTERS}
 * @throws HaftError `PACKAGE_MISSING`
 */
export async function* exportAsPage(
  runs: readonly StreamedRun[],
  maxCharacters: number = MAX_EXPORT_CHARACTERS,
): AsyncGenerator<string> {
  const { renderExportPage } = await loadOptionalPackage({
    name: "@haft/inspector",
    what: "An export as a page",
    load: () => import("@haft/inspector"),
  });
  yield* renderExportPage(recordsOf(runs, maxCharacters), Date.now());
}

async function* recordsOf(runs: readonly StreamedRun[], maxCharacters: number): AsyncGenerator<ExportRecord> {
  let characters = 0;
  for (const { run, calls } of runs) {
    yield { run: maskSecrets(runFromRecord(run)) };
    for await (const record of calls()) {
      const call = maskSecrets({ ...record, runId: run.runId, sessionKey: run.sessionKey });
      const detail = recordedDetail(call);
      characters += JSON.stringify(detail).length;
      if (characters <= maxCharacters) yield { call: detail };
      else
        yield {
          call: { ...callRow(call), epoch: call.epoch, files: [], children: [] },
          isCut: true,
        };
    }
  }
}

/** Runs as JSON, or as lines of JSON, to be passed on, secrets covered; in pieces, since it may be longer than memory is large. */
function exportRecords(runs: readonly StreamedRun[], format: "json" | "jsonl"): AsyncGenerator<string> {
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
