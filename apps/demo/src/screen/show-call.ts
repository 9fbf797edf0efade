import { textOf, type ToolOutcome } from "@haft/core";
import { cut, pad } from "./layout.ts";
import type { Screen } from "./screen.ts";
import { showDiff } from "./show-diff.ts";
import { showOutput } from "./show-output.ts";

/** Characters of a reason that are shown; the ledger has all of it. */
const MOST_CHARACTERS = 320;

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
    if (COMMANDS.includes(toolName)) showOutput(screen, textOf(content));
    return;
  }
  const { reason, message = reason, fix } = details;
  if (typeof message === "string") screen.prose(cut(message.replace(/\s+/g, " "), MOST_CHARACTERS), 6);
  if (typeof fix === "string") screen.prose(fix, 6, paint.yellow);
}

/** Somebody is asked whether a call may run. */
export function showQuestion({ prose, paint }: Screen, reason: string): void {
  prose(`? ${reason}`, 2, paint.yellow);
}
