import { summarizeCall, textOf, type ToolOutcome } from "@haft/core";
import type { Report } from "../stage.ts";
import { cut, pad, wrap } from "./layout.ts";
import { printable, type Screen } from "./screen.ts";

/** Characters of a reason that are shown; the ledger has all of it. */
const MAX_REASON = 320;
const MAX_DIFF_LINES = 16;
const MAX_OUTPUT_LINES = 5;

/** Tools whose text is what a command printed, or says what became of it. */
const COMMANDS = ["exec", "process", "bash"];

/** One line for a call, and below it what is worth seeing: its diff, its output, or why it did not run. */
export function showCall(screen: Screen, summary: string, outcome: ToolOutcome): void {
  const { paint, width } = screen;
  const { kind, toolName, durationMs, details, content } = outcome;
  const exit = typeof details["exitCode"] === "number" ? `exit code ${details["exitCode"]}, ` : "";
  const note = kind === "ok" ? `${exit}${durationMs.toFixed(1)} ms` : `${kind} ${outcome.code}`;
  const room = width - note.length - 6;
  const mark = kind === "ok" ? paint.green("✓") : paint.red("✗");
  const dressed = kind === "ok" ? paint.dim(note) : paint.red(note);
  screen.line(`  ${mark} ${pad(paint.bold(cut(summary, room)), room)}  ${dressed}`);
  if (typeof details["diff"] === "string") showDiff(screen, details["diff"]);
  if (kind === "ok") {
    if (COMMANDS.includes(toolName)) showLines(screen, textOf(content), /^\s*$/, MAX_OUTPUT_LINES);
    return;
  }
  const { reason, message = reason, fix } = details;
  if (typeof message === "string") screen.prose(cut(message.replace(/\s+/g, " "), MAX_REASON), 6);
  if (typeof fix === "string") screen.prose(fix, 6, paint.yellow);
}

/** A unified diff without its file headers: the call above it names the file. */
export function showDiff(screen: Screen, diff: string): void {
  showLines(screen, diff, /^(?:---|\+\+\+) |^$/, MAX_DIFF_LINES);
}

/** The first lines of a text, and how many more there are. @param leftOut lines that are not shown */
function showLines({ line, paint, width }: Screen, text: string, leftOut: RegExp, max: number): void {
  const lines = printable(text)
    .split("\n")
    .filter((each) => !leftOut.test(each));
  for (const each of lines.slice(0, max)) {
    const dress = each.startsWith("+") ? paint.green : each.startsWith("-") ? paint.red : paint.dim;
    line(`      ${dress(cut(each, width - 6).trimEnd())}`);
  }
  if (lines.length > max) line(paint.dim(`      … ${lines.length - max} more lines`));
}

/** What the demo itself found when all was over. */
export function showSummary(screen: Screen, { ok, checks, calls, durationMs }: Report): void {
  const { paint, width, line } = screen;
  screen.heading("Verified on disk and in the books, by the demo itself");
  const widest = Math.max(...checks.map(({ what }) => what.length));
  for (const { what, ok: held, found } of checks) {
    const mark = held ? paint.green("✓") : paint.red("✗");
    const [first = "", ...rest] = wrap(found, width - widest - 6).map(held ? paint.dim : paint.red);
    line(`  ${mark} ${pad(held ? what : paint.bold(what), widest)}  ${first}`);
    for (const each of rest) line(" ".repeat(widest + 6) + each);
  }
  const good = checks.filter((check) => check.ok).length;
  const verdict = `${good} of ${checks.length} hold, ${calls.length} calls, ${(durationMs / 1000).toFixed(1)} s`;
  const word = ok ? paint.green(paint.bold("Verified.")) : paint.red(paint.bold("Not verified."));
  line(`\n  ${word} ${verdict}.`);
  line(paint.dim("  What else it can do: npm run demo -- --help"));
}

/** A call in one line, also when its arguments are still the text the model wrote. */
export function summaryOf(toolName: string, args: unknown): string {
  let known = args;
  try {
    if (typeof args === "string") known = JSON.parse(args);
  } catch {
    // What is no JSON has nothing to show.
  }
  return summarizeCall(toolName, known, { format: "plain" });
}
