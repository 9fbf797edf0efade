import type { RunRecord } from "@haft/core/kernel";
import type { InspectorSource } from "@haft/inspector";
import { callsInOrder } from "../../ledger/all-calls.ts";
import { exportRecords } from "../../ledger/export-runs.ts";
import type { RunToRead } from "../../ledger/recorded-run.ts";
import type { Looking, ReadLedger } from "../looking.ts";
import { exportAsPage } from "./export-page.ts";

/** How recorded runs are passed on: as a page, or as records. */
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

/** Runs as a text to be passed on, in pieces. */
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
