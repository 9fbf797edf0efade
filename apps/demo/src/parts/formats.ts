import { formatToolResult } from "@haft/core";
import { beside } from "../screen/layout.ts";
import { printable } from "../screen/screen.ts";
import type { Part } from "../stage.ts";

/** The lines that begin and end a block of code. */
const FENCES = /^`{3,}.*\n?/gm;
/** Lines of each format that are shown. */
const MAX_LINES = 12;

/** One result, twice: Markdown for what renders it, plain text for everything else. */
export const formatsPart: Part = {
  name: "formats",
  title: "One result in both formats",
  needs: ["repair"],
  async run({ report }, { line, paint, width }) {
    const shown = report.calls.findLast(
      ({ session, outcome: { content } }) =>
        session === "owner" && content.some((block) => block.type === "text" && block.language !== undefined),
    );
    if (!shown) return;
    const [markdown, plain] = (["markdown", "plain"] as const).map((format) =>
      formatToolResult(shown.outcome, format),
    ) as [string, string];
    report.formats = { call: shown.summary, markdown, plain };
    const rule = "─".repeat(Math.floor((width - 5) / 2));
    const sides = [
      ["markdown", rule, ...firstLines(markdown)],
      ["plain", rule, ...firstLines(plain)],
    ] as const;
    line(`  ${paint.bold(shown.summary)}\n`);
    for (const each of beside(...sides, width - 2)) line(`  ${each}`);
  },
  async verify({ report }) {
    const { markdown = "", plain = "" } = report.formats ?? {};
    const unfenced = (value: string) => value.replace(FENCES, "").trim();
    return [
      {
        what: "both formats say the same",
        ok: plain !== "" && markdown !== plain && unfenced(markdown) === unfenced(plain),
        found: `${markdown.length} characters of Markdown, ${plain.length} of plain text`,
      },
    ];
  },
};

/** Both ends: a fence has two. */
function firstLines(value: string): string[] {
  const lines = printable(value).split("\n");
  if (lines.length <= MAX_LINES) return lines;
  const left = lines.length - MAX_LINES + 1;
  return [...lines.slice(0, MAX_LINES - 5), `… ${left} more lines`, ...lines.slice(-4)];
}
