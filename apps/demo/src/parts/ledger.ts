import type { ToolMeta } from "@haft/core";
import type { Check } from "../report.ts";
import { cut, table } from "../screen/layout.ts";
import type { Paint } from "../screen/paint.ts";
import { summaryOf } from "../screen/summary-of.ts";
import type { Part, Stage } from "./part.ts";

/** What the kernel wrote down: every call, also those that never ran. */
export const ledgerPart: Part = {
  name: "ledger",
  title: "The ledger",
  needs: ["repair", "denied"],
  async run(stage, { line, paint }) {
    stage.report.ledger = Object.fromEntries(ledgers(stage));
    const head = ["  id", "session", "status", "effect", "code", "call"].map(paint.dim);
    const rows = ledgers(stage).flatMap(([who, entries]) =>
      entries.map((entry) => ledgerRow(who, entry, paint)),
    );
    for (const each of table([head, ...rows])) line(each);
  },
  async verify(stage) {
    return [verifyComplete(stage)];
  },
};

function ledgers({ sessions }: Stage) {
  return Array.from(sessions, ([who, { session }]) => [who, session.ledger()] as const);
}

export function ledgerRow(who: string, entry: Readonly<ToolMeta>, paint: Paint): string[] {
  const { toolCallId, toolName, args, status, receipt = "", code = "" } = entry;
  const dress = status === "completed" ? paint.green : paint.red;
  const summary = cut(summaryOf(toolName, args), 34);
  return [`  ${cut(toolCallId, 12)}`, who, dress(status), receipt, cut(code, 17), summary];
}

/** Each call that was answered is in the books once, and none is left open. */
function verifyComplete(stage: Stage): Check {
  const entries = ledgers(stage).flatMap(([, ledger]) => ledger);
  const open = entries.filter(({ status }) => status === "pending" || status === "executing");
  const answered = stage.report.calls.map(({ outcome }) => outcome.toolCallId);
  const inBooks = entries.map(({ toolCallId }) => toolCallId);
  const same = answered.toSorted().join() === inBooks.toSorted().join();
  return {
    what: "the ledger is complete",
    ok: entries.length > 0 && open.length === 0 && same,
    found: `${entries.length} entries for ${answered.length} answers, ${open.length} open`,
  };
}
