import { formatToolResult, type ToolOutcome } from "@haft/core";
import type { Check } from "../report.ts";
import { beside } from "../screen/layout.ts";
import { printable } from "../screen/screen.ts";
import type { Part } from "./part.ts";

/** The lines that begin and end a block of code. */
const FENCES = /^`{3,}.*\n?/gm;
/** Lines of each format that are shown. */
const MOST_LINES = 12;

/** One result, twice: Markdown for what renders it, plain text for everything else. */
export const formatsPart: Part = {
  name: "formats",
  title: "One result in both formats",
  needs: ["repair"],
  async run({ report }, screen) {
    const shown = report.calls.findLast(
      ({ session, outcome }) => session === "owner" && hasLanguage(outcome),
    );
    if (!shown) return;
    const markdown = formatToolResult(shown.outcome, "markdown");
    const plain = formatToolResult(shown.outcome, "plain");
    report.formats = { call: shown.summary, markdown, plain };
    const half = Math.floor((screen.width - 5) / 2);
    const sides = [
      ["markdown", "─".repeat(half), ...firstLines(markdown)],
      ["plain", "─".repeat(half), ...firstLines(plain)],
    ] as const;
    screen.line(`  ${screen.paint.bold(shown.summary)}\n`);
    for (const each of beside(...sides, screen.width - 2)) screen.line(`  ${each}`);
  },
  async verify({ report }) {
    const { markdown = "", plain = "" } = report.formats ?? {};
    return [
      {
        what: "both formats say the same",
        ok: plain !== "" && markdown !== plain && unfenced(markdown) === unfenced(plain),
        found: `${markdown.length} characters of Markdown, ${plain.length} of plain text`,
      },
    ] satisfies Check[];
  },
};

function unfenced(value: string): string {
  return value.replace(FENCES, "").trim();
}

function hasLanguage({ content }: ToolOutcome): boolean {
  return content.some((block) => block.type === "text" && block.language !== undefined);
}

/** Both ends: a fence has two. */
function firstLines(value: string): string[] {
  const lines = printable(value).split("\n");
  if (lines.length <= MOST_LINES) return lines;
  const end = 4;
  const left = lines.length - MOST_LINES + 1;
  return [...lines.slice(0, MOST_LINES - end - 1), `… ${left} more lines`, ...lines.slice(-end)];
}
