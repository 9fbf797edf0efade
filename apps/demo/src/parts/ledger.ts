import type { ToolMeta } from "@haft/core";
import { cut, table } from "../screen/layout.ts";
import type { Paint } from "../screen/screen.ts";
import { summaryOf } from "../screen/show.ts";
import type { Part, Stage } from "../stage.ts";

/** What the kernel wrote down: every call, also those that never ran. */
export const ledgerPart: Part = {
  name: "ledger",
  title: "The ledger",
  needs: ["repair", "denied"],
  async run({ report, sessions }, { line, paint }) {
    report.ledger = Object.fromEntries(
      Array.from(sessions, ([who, { session }]) => [who, session.ledger()] as const),
    );
    const head = ["  id", "session", "status", "effect", "code", "call"].map(paint.dim);
    const rows = Object.entries(report.ledger).flatMap(([who, entries]) =>
      entries.map((entry) => ledgerRow(who, entry, paint)),
    );
    for (const each of table([head, ...rows])) line(each);
  },
  /** Each call that was answered is in the books once, and none is left open. */
  async verify({ report, sessions }: Stage) {
    const entries = Array.from(sessions.values()).flatMap(({ session }) => session.ledger());
    const open = entries.filter(({ status }) => status === "pending" || status === "executing");
    const answered = report.calls.map(({ outcome }) => outcome.toolCallId);
    const inBooks = entries.map(({ toolCallId }) => toolCallId);
    const same = answered.toSorted().join() === inBooks.toSorted().join();
    return [
      {
        what: "the ledger is complete",
        ok: entries.length > 0 && open.length === 0 && same,
        found: `${entries.length} entries for ${answered.length} answers, ${open.length} open`,
      },
    ];
  },
};

export function ledgerRow(who: string, entry: Readonly<ToolMeta>, paint: Paint): string[] {
  const { toolCallId, toolName, args, status, receipt = "", code = "" } = entry;
  const dress = status === "completed" ? paint.green : paint.red;
  const summary = cut(summaryOf(toolName, args), 34);
  return [`  ${cut(toolCallId, 12)}`, who, dress(status), receipt, cut(code, 17), summary];
}
