import { maskSecrets } from "@haft/core/internal/records";
import type { RunRecord } from "@haft/core/kernel";
import { exportRecords, iterateRunCalls, type StreamedRun } from "@haft/history";
import { renderExportPage } from "../../server/render-export-page.ts";
import type { InspectorSource } from "../../source/inspector-source.ts";
import type { ExportRecord } from "../../wire/api.ts";
import { recordedDetail } from "../calls/call-detail.ts";
import { callRow } from "../calls/call-row.ts";
import type { InspectionContext, ReadLedger } from "../inspection-context.ts";
import { runFromRecord } from "./run-view.ts";

/** Oldest run first, with calls on demand. */
export async function openExport(
  { ledger }: InspectionContext,
  { run, session, format }: Parameters<InspectorSource["openExport"]>[0],
): ReturnType<InspectorSource["openExport"]> {
  const stored = ledger();
  const found = run === undefined ? await runsOf(stored, session) : [await stored.run(run)];
  const runs = found
    .filter((record) => record !== undefined)
    .map((record) => ({ run: record, calls: () => iterateRunCalls(stored, record.runId) }));
  if (runs.length === 0) return undefined;
  const name = run ?? session ?? "";
  return {
    name: `haft-${name}.${format}`,
    pieces: format === "html" ? exportAsPage(runs) : exportRecords(runs, format),
  };
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

const MAX_EXPORT_CHARACTERS = 64 * 1024 * 1024;

/**
 * Returns runs with their calls as one HTML file, in pieces. Known secrets are masked.
 *
 * @param maxCharacters Limits the file. Later calls have no details. Default 64 Mi (67,108,864).
 * @throws HaftError `PACKAGE_MISSING` without a built page
 *
 * @example
 * ```ts
 * import type { LedgerStore, RunRecord } from "@haft/core/kernel";
 * import { iterateRunCalls } from "@haft/history";
 * import { exportAsPage } from "@haft/inspector";
 * declare const ledger: LedgerStore;
 * declare const run: RunRecord;
 * const runs = [{ run, calls: () => iterateRunCalls(ledger, run.runId) }];
 * for await (const piece of exportAsPage(runs)) process.stdout.write(piece);
 * ```
 */
export async function* exportAsPage(
  runs: readonly StreamedRun[],
  maxCharacters: number = MAX_EXPORT_CHARACTERS,
): AsyncGenerator<string> {
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
