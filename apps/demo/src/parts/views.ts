import { formatToolResult, type ToolMeta } from "@haft/core";
import { check } from "../look.ts";
import { cut, paint, showLines, summaryOf } from "../screen.ts";
import type { Part } from "../stage.ts";

const kinds = ["main", "group", "sandboxed"] as const;

/** What the model of each kind of session is offered, and why it is not offered the rest. */
export const toolsPart: Part = {
  name: "tools",
  title: "What each kind of session is offered",
  async run({ host, report }, { line, prose, table }) {
    const previews = await Promise.all(kinds.map((kind) => host.preview({ kind })));
    const rows = host.catalogue.map(async ({ name }) => {
      const explained = await Promise.all(previews.map((preview) => preview.explain(name)));
      const cells = explained.map(({ found, verdict }) => {
        if (found !== "visible") return paint.dim("–");
        return verdict === "asks" ? paint.yellow("asks") : paint.green("yes");
      });
      return [`  ${paint.bold(name)}`, ...cells];
    });
    table([["  tool", ...kinds], ...(await Promise.all(rows))]);
    const sets = previews.map((preview, i) => {
      const offered = preview.tools().map(({ name }) => name);
      return [kinds[i]!, { offered, missing: preview.missing() }] as const;
    });
    report.tools = Object.fromEntries(sets);
    for (const [kind, { missing }] of sets) {
      // Each reason once: what is said of one tool holds for those named with it.
      const alike = Map.groupBy(missing, ({ name, reason }) => reason.replace(name, ""));
      for (const [first, ...others] of alike.values()) {
        const names = others.map(({ name }) => name).join(" and ");
        line();
        prose(`${kind}: ${first!.reason}${names && ` The same goes for ${names}.`}`);
        if (first!.fix !== undefined) prose(first!.fix, 2, paint.yellow);
      }
    }
    return undefined;
  },
};

/** The lines that begin and end a block of code. */
const FENCES = /^`{3,}.*\n?/gm;
/** Lines of each format that are shown. */
const MAX_LINES = 8;

/** One result, twice: Markdown for what renders it, plain text for everything else. */
export const formatsPart: Part = {
  name: "formats",
  title: "One result in both formats",
  needs: ["repair"],
  async run({ report }, screen) {
    const shown = report.calls.findLast(
      ({ session, outcome: { content } }) =>
        session === "owner" && content.some((block) => block.type === "text" && block.language !== undefined),
    );
    const [markdown, plain] = (["markdown", "plain"] as const).map((format) => {
      const formatted = shown ? formatToolResult(shown.outcome, format) : "";
      screen.line(`  ${format} of ${paint.bold(shown?.summary ?? "nothing")}`);
      showLines(screen, formatted, MAX_LINES);
      return formatted;
    }) as [string, string];
    report.formats = { call: shown?.summary, markdown, plain };
    const unfenced = (value: string) => value.replace(FENCES, "").trim();
    const same = plain !== "" && markdown !== plain && unfenced(markdown) === unfenced(plain);
    const found = `${markdown.length} characters of Markdown, ${plain.length} of plain text`;
    return () => [check("both formats say the same", same, found)];
  },
};

/** What the kernel wrote down: every call, also those that never ran. */
export const ledgerPart: Part = {
  name: "ledger",
  title: "The ledger",
  needs: ["repair", "denied"],
  async run({ report, sessions }, { table }) {
    const books = Array.from(sessions, ([who, { session }]) => [who, session.ledger()] as const);
    report.ledger = Object.fromEntries(books);
    const head = ["  id", "session", "status", "effect", "code", "call"].map(paint.dim);
    table([head, ...books.flatMap(([who, entries]) => entries.map((entry) => ledgerRow(who, entry)))]);
    /** Each call that was answered is in the books once, and none is left open. */
    return () => {
      const entries = Array.from(sessions.values()).flatMap(({ session }) => session.ledger());
      const open = entries.filter(({ status }) => status === "pending" || status === "executing");
      const answered = report.calls.map(({ outcome }) => outcome.toolCallId);
      const inBooks = entries.map(({ toolCallId }) => toolCallId);
      const same = answered.toSorted().join() === inBooks.toSorted().join();
      const found = `${entries.length} entries for ${answered.length} answers, ${open.length} open`;
      return [check("the ledger is complete", entries.length > 0 && open.length === 0 && same, found)];
    };
  },
};

function ledgerRow(who: string, entry: Readonly<ToolMeta>): string[] {
  const { toolCallId, toolName, args, status, receipt = "", code = "" } = entry;
  const dress = status === "completed" ? paint.green : paint.red;
  const summary = cut(summaryOf(toolName, args), 34);
  return [`  ${cut(toolCallId, 12)}`, who, dress(status), receipt, cut(code, 17), summary];
}
