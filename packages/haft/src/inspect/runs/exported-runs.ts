import { coverValue } from "@haft/core/internal/records";
import type { RunRecord } from "@haft/core/kernel";
import type { InspectorSource, ExportRecord } from "@haft/inspector";
import { callsInOrder } from "../../ledger/all-calls.ts";
import type { RunToRead } from "../../ledger/recorded-run.ts";
import { optionalPackage } from "../../plugins/packages/optional-package.ts";
import { recordedDetail } from "../calls/call-detail.ts";
import { callRow } from "../calls/call-row.ts";
import type { Looking, ReadLedger } from "../looking.ts";
import { recordedRun } from "./run-shown.ts";

export type ExportFormat = "html" | "json" | "jsonl";

/** A run, or all runs of a conversation, the oldest first; `undefined` where there is none. Calls are read as the text is taken. */
export async function exportedRuns(
  { ledger }: Looking,
  { run, session, format }: Parameters<InspectorSource["exported"]>[0],
): ReturnType<InspectorSource["exported"]> {
  const kept = ledger();
  const found = run === undefined ? await runsOf(kept, session) : [await kept.run(run)];
  const runs = found
    .filter((record) => record !== undefined)
    .map((record) => ({ run: record, calls: () => callsInOrder(kept, record.runId) }));
  if (runs.length === 0) return undefined;
  const name = run ?? session ?? "";
  return { name: `haft-${name}.${format}`, pieces: exportRuns(runs, format) };
}

export function exportRuns(runs: readonly RunToRead[], format: ExportFormat): AsyncGenerator<string> {
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
  runs: readonly RunToRead[],
  maxCharacters: number = MAX_EXPORT_CHARACTERS,
): AsyncGenerator<string> {
  const { exportedPage } = await optionalPackage({
    name: "@haft/inspector",
    what: "An export as a page",
    load: () => import("@haft/inspector"),
  });
  yield* exportedPage(recordsOf(runs, maxCharacters), Date.now());
}

async function* recordsOf(runs: readonly RunToRead[], maxCharacters: number): AsyncGenerator<ExportRecord> {
  let characters = 0;
  for (const { run, calls } of runs) {
    yield { run: coverValue(recordedRun(run)) };
    for await (const record of calls()) {
      const call = coverValue({ ...record, runId: run.runId, sessionKey: run.sessionKey });
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
function exportRecords(runs: readonly RunToRead[], format: "json" | "jsonl"): AsyncGenerator<string> {
  return format === "json" ? asJson(runs) : asLines(runs);
}

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
