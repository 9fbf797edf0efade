import { coverValue } from "@haft/core/internal/records";
import type { CallDetail, ExportRecord } from "@haft/inspector";
import type { RunToRead } from "../../ledger/recorded-run.ts";
import { optionalPackage } from "../../plugins/packages/optional-package.ts";
import { recordedDetail } from "../calls/call-detail.ts";
import { callRow } from "../calls/call-row.ts";
import { recordedRun } from "./run-shown.ts";

/** Characters of calls with their details. The calls behind them are exported as a list shows them. */
const MAX_EXPORT_CHARACTERS = 64 * 1024 * 1024;

/**
 * Runs as the inspector's page with their calls inside, secrets covered; in pieces. Needs `@haft/inspector`.
 *
 * @param maxCharacters see {@link MAX_EXPORT_CHARACTERS}
 * @throws HaftError `PACKAGE_MISSING`, `INSPECT_PAGE_MISSING`
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
          call: { ...callRow(call), epoch: call.epoch, files: [], children: [] } as CallDetail,
          isCut: true,
        };
    }
  }
}
