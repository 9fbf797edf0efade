import { hostError } from "../../errors.ts";
import { type ExportFormat, exportRuns as exportedPieces } from "../../inspect/runs/export-runs.ts";
import { iterateRunCalls } from "../../ledger/all-calls.ts";
import { findRuns } from "../../ledger/find-run.ts";
import type { Values } from "../usage.ts";
import { writeOut } from "../write-out.ts";
import { toConversationKey, type exportOptions } from "./ledger-options.ts";
import { describeEmptyLedger, withLedger } from "./open-ledger.ts";

type Given = Values<typeof exportOptions>;

/** `haft ledger export RUN|SESSION`: a page, or the records. */
export async function exportCommand(values: Given, [name = ""]: readonly string[]): Promise<number> {
  const code = await withLedger(values, async ({ ledger }) => {
    const conversation = toConversationKey(values);
    const found = await findRuns(ledger, name, conversation);
    const runs = found.map((run) => ({ run, calls: () => iterateRunCalls(ledger, run.runId) }));
    let text = "";
    for await (const piece of exportedPieces(runs, values.format ?? formatOf(values.out))) text += piece;
    writeOut(values.out, text);
    return 0;
  });
  if (code !== undefined) return code;
  throw hostError("RUN_NOT_FOUND", describeEmptyLedger(values));
}

function formatOf(out: string | undefined): ExportFormat {
  const [, ending] = /\.(jsonl?)$/.exec(out ?? "") ?? [];
  return ending === "json" || ending === "jsonl" ? ending : "html";
}
