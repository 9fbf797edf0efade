import { formatToolResult, text, contentToText, type ToolOutcome } from "@haft/core";
import { stripVTControlCharacters, styleText } from "node:util";
import type { Check } from "./inspect.ts";

const dress = (style: "bold" | "dim" | "red" | "green" | "yellow" | "cyan") => (plain: string) =>
  styleText(style, plain, { stream: process.stdout });

/** Styles text on a terminal without `NO_COLOR`. */
export const paint = {
  bold: dress("bold"),
  dim: dress("dim"),
  red: dress("red"),
  green: dress("green"),
  yellow: dress("yellow"),
  cyan: dress("cyan"),
};

/** Wider lines are hard to read. */
const WIDEST = 100;
const MAX_REASON = 320;
const MAX_DIFF_LINES = 16;
const MAX_OUTPUT_LINES = 5;

/** Tools whose text is a command's output or state. */
const COMMANDS = ["exec", "process", "bash"];

export type Screen = ReturnType<typeof createScreen>;

export function createScreen(write: (content: string) => void, columns = WIDEST) {
  const width = Math.max(60, Math.min(columns, WIDEST));
  const line = (content = "") => write(`${content}\n`);
  return {
    width,
    line,
    heading: (title: string) => line(`\n${paint.bold(paint.cyan(title))}\n${paint.dim("─".repeat(width))}`),
    /** Wraps, indents and cleans text of a model or tool. */
    prose: (said: string, indent = 2, style = (plain: string) => plain) => {
      for (const each of wrap(toPrintable(said).trim(), width - indent))
        line(`${" ".repeat(indent)}${style(each)}`);
    },
    /** Aligned columns with two blanks between. */
    table: (rows: readonly (readonly string[])[]) => {
      const widest = (column: number) => Math.max(...rows.map((row) => measureWidth(row[column] ?? "")));
      for (const row of rows) {
        const cells = row.map((cell, column) => pad(cell, widest(column)));
        line(cells.join("  ").trimEnd());
      }
    },
  };
}

export const darkScreen = createScreen(() => {});

/** Foreign text must not move the cursor. */
export function toPrintable(value: string): string {
  return formatToolResult({ content: [text(value)] }, "plain").replaceAll("\t", "  ");
}

/** Terminal columns without colours. */
export function measureWidth(dressed: string): number {
  return Array.from(stripVTControlCharacters(dressed)).length;
}

function pad(dressed: string, width: number): string {
  return dressed + " ".repeat(Math.max(0, width - measureWidth(dressed)));
}

/** One uncoloured line of at most `width` columns; a cut ends in `…`. */
export function truncateToWidth(plain: string, width: number): string {
  const characters = Array.from(plain);
  return characters.length <= width ? plain : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/** Lines of at most `width` columns, broken between words if possible. */
export function wrap(plain: string, width: number): string[] {
  const line = new RegExp(`[^ ].{0,${width - 1}}(?= |$)|[^ ]{${width}}`, "gsu");
  return plain.split("\n").flatMap((paragraph) => paragraph.match(line) ?? [""]);
}

const markOf = (ok: boolean) => (ok ? paint.green("✓") : paint.red("✗"));

/** One line for a call, then its diff, output, or reason not to run. */
export function showCall(screen: Screen, summary: string, outcome: ToolOutcome): void {
  const { kind, toolName, durationMs, details, content } = outcome;
  const exit = typeof details["exitCode"] === "number" ? `exit code ${details["exitCode"]}, ` : "";
  const note = kind === "ok" ? `${exit}${durationMs.toFixed(1)} ms` : `${kind} ${outcome.code}`;
  const room = screen.width - note.length - 6;
  const style = kind === "ok" ? paint.dim : paint.red;
  screen.line(
    `  ${markOf(kind === "ok")} ${pad(paint.bold(truncateToWidth(summary, room)), room)}  ${style(note)}`,
  );
  if (typeof details["diff"] === "string") showDiff(screen, details["diff"]);
  if (kind === "ok") {
    if (COMMANDS.includes(toolName)) showLines(screen, contentToText(content), MAX_OUTPUT_LINES);
    return;
  }
  const { reason, message = reason, fix } = details;
  if (typeof message === "string") screen.prose(truncateToWidth(message.replace(/\s+/g, " "), MAX_REASON), 6);
  if (typeof fix === "string") screen.prose(fix, 6, paint.yellow);
}

export function showDiff(screen: Screen, diff: string): void {
  showLines(screen, diff.replace(/^(?:---|\+\+\+) .*\n/gm, ""), MAX_DIFF_LINES);
}

/** The first non-blank lines, and the number of others. */
export function showLines({ line, width }: Screen, output: string, max: number): void {
  const lines = toPrintable(output)
    .split("\n")
    .filter((each) => each.trim() !== "");
  for (const each of lines.slice(0, max)) {
    const style = each.startsWith("+") ? paint.green : each.startsWith("-") ? paint.red : paint.dim;
    line(`      ${style(truncateToWidth(each, width - 6).trimEnd())}`);
  }
  if (lines.length > max) line(paint.dim(`      … ${lines.length - max} more lines`));
}

export function showChecks({ width, line }: Screen, checks: readonly Check[]): void {
  const widest = Math.max(...checks.map(({ what }) => what.length));
  for (const { what, ok, found } of checks) {
    const [first = "", ...rest] = wrap(found, width - widest - 6).map(ok ? paint.dim : paint.red);
    line(`  ${markOf(ok)} ${pad(ok ? what : paint.bold(what), widest)}  ${first}`);
    for (const each of rest) line(" ".repeat(widest + 6) + each);
  }
}
