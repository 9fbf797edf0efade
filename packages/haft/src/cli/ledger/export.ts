import { hostError } from "../../errors.ts";
import { type ExportFormat, exportRuns as exportedPieces } from "../../inspect/runs/exported-runs.ts";
import { callsInOrder } from "../../ledger/all-calls.ts";
import { findRuns } from "../../ledger/find-run.ts";
import { UsageError } from "../usage.ts";
import { writeOut } from "../write-out.ts";
import { conversationOf, type LedgerValues } from "./ledger-options.ts";
import { nothingKept, withLedger } from "./open-ledger.ts";

/** `haft ledger export RUN|SESSION`: a page, or the records. Resolves to the exit code. */
export async function exportRuns(rest: readonly string[], values: LedgerValues): Promise<number> {
  const [name, ...more] = rest;
  if (name === undefined)
    throw new UsageError(
      "Which run, or conversation? haft ledger export RUN|SESSION; haft ledger list shows both.",
    );
  if (more.length > 0) throw new UsageError("haft ledger export is about one run, or one conversation.");
  const code = await withLedger(values, async ({ ledger }) => {
    const conversation = conversationOf(values);
    const found = await findRuns(ledger, name, conversation);
    const runs = found.map((run) => ({ run, calls: () => callsInOrder(ledger, run.runId) }));
    let text = "";
    for await (const piece of exportedPieces(runs, values.format ?? formatOf(values.out))) text += piece;
    writeOut(values.out, text);
    return 0;
  });
  if (code !== undefined) return code;
  throw hostError("RUN_NOT_FOUND", nothingKept(values));
}

/** By the name of the file, and otherwise the page. */
function formatOf(out: string | undefined): ExportFormat {
  const [, ending] = /\.(jsonl?)$/.exec(out ?? "") ?? [];
  return ending === "json" || ending === "jsonl" ? ending : "html";
}
