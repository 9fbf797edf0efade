import { formatToolResult, type ToolOutcome } from "@haft/core";
import { truncateToWidth, toPrintable, type Screen } from "./screen.ts";

const DIFF_LINES = 40;
const OUTPUT_LINES = 40;
const RESULT_LINES = 4;

/**
 * Shows a call's time, its diff, or why it did not run.
 *
 * @param rest the result's part that was not shown live
 */
export function showOutcome(screen: Screen, outcome: ToolOutcome, rest: string, wasLive: boolean): void {
  const { kind, details, durationMs, content } = outcome;
  const style: Screen["style"] = (format, text) => screen.style(format, text);
  const exit = typeof details["exitCode"] === "number" ? `exit code ${details["exitCode"]}, ` : "";
  if (kind === "ok") {
    const images = content.filter(({ type }) => type === "image").length;
    if (typeof details["diff"] === "string") showDiff(screen, details["diff"]);
    else
      showLines(
        screen,
        rest.replace(/\n?\(Command exited with code \d+\)$/, ""),
        wasLive || exit !== "" ? OUTPUT_LINES : RESULT_LINES,
      );
    const named = images === 0 ? "" : `, ${images === 1 ? "an image" : `${images} images`}`;
    const mark = exit === "" || details["exitCode"] === 0 ? style("green", "✓") : style("yellow", "!");
    screen.line(`  ${mark} ${style("dim", `${exit}${timeOf(durationMs)}${named}`)}`);
    return;
  }
  const code = kind === "pending" ? "waits for approval" : `${kind} ${outcome.code}`;
  const { reason, message = reason, fix } = details;
  if (wasLive) showLines(screen, rest, OUTPUT_LINES);
  screen.line(
    `  ${style(kind === "pending" ? "yellow" : "red", kind === "pending" ? "…" : "✗")} ${style("red", code)}`,
  );
  const words = typeof message === "string" ? message : formatToolResult(outcome, "plain");
  if (!wasLive)
    for (const line of linesOf(words).slice(0, RESULT_LINES))
      screen.line(`    ${truncateToWidth(line, 4 * screen.columns)}`);
  if (typeof fix === "string") screen.line(`    ${style("yellow", toPrintable(fix).replaceAll("\n", " "))}`);
}

/** The call's line has the file names. */
function showDiff(screen: Screen, diff: string): void {
  const lines = linesOf(diff).filter((line) => !/^(?:---|\+\+\+) /.test(line));
  for (const line of lines.slice(0, DIFF_LINES)) {
    const shown = truncateToWidth(line.replaceAll("\t", "  "), screen.columns - 4);
    const colour = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
    screen.line(`    ${screen.style(colour, shown)}`);
  }
  showRemaining(screen, lines.length - DIFF_LINES);
}

function showLines(screen: Screen, text: string, most: number): void {
  const lines = linesOf(text);
  for (const line of lines.slice(0, most))
    screen.line(
      `    ${screen.style("dim", truncateToWidth(line.replaceAll("\t", "  "), screen.columns - 4))}`,
    );
  showRemaining(screen, lines.length - most);
}

function showRemaining(screen: Screen, more: number): void {
  if (more > 0) screen.line(screen.style("dim", `    … ${more} more ${more === 1 ? "line" : "lines"}`));
}

function linesOf(text: string): string[] {
  return toPrintable(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
}

function timeOf(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
