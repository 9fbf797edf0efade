import { exportRecords, findRuns, iterateRunCalls } from "@haft/history";
import { extname } from "node:path";
import { commandError } from "../../errors.ts";
import { loadInspector } from "../inspect/serve-inspector-page.ts";
import { UsageError, type Values } from "../usage.ts";
import { writeOut } from "../write-out.ts";
import { toConversationKey, type exportOptions } from "./ledger-options.ts";
import { describeEmptyLedger, withLedger } from "./open-ledger.ts";

type Given = Values<typeof exportOptions>;

export async function exportCommand(values: Given, [name = ""]: readonly string[]): Promise<number> {
  const format = values.format ?? formatOf(values.out);
  const code = await withLedger(values, async ({ ledger }) => {
    const conversation = toConversationKey(values);
    const found = await findRuns(ledger, name, conversation);
    const runs = found.map((run) => ({ run, calls: () => iterateRunCalls(ledger, run.runId) }));
    let text = "";
    const pieces =
      format === "html"
        ? (await loadInspector("An export as a page")).exportAsPage(runs)
        : exportRecords(runs, format);
    for await (const piece of pieces) text += piece;
    writeOut(values.out, text);
    return 0;
  });
  if (code !== undefined) return code;
  throw commandError("RUN_NOT_FOUND", describeEmptyLedger(values));
}

function formatOf(out = ""): "html" | "json" | "jsonl" {
  const ending = extname(out).toLowerCase();
  if (ending === ".json") return "json";
  if (ending === ".jsonl") return "jsonl";
  if (ending !== "" && ending !== ".html" && ending !== ".htm")
    throw new UsageError(`There is no format for ${out}. Name it .html, .json or .jsonl, or give --format.`);
  return "html";
}
