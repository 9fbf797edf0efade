import { cut } from "./layout.ts";
import { printable, type Screen } from "./screen.ts";

/** Lines of output that are shown; the rest is counted. */
const MOST_LINES = 5;

/** How the output of a command begins, without empty lines. */
export function showOutput({ line, paint, width }: Screen, output: string): void {
  const lines = printable(output)
    .split("\n")
    .filter((each) => each.trim() !== "");
  for (const each of lines.slice(0, MOST_LINES)) line(paint.dim(`      ${cut(each, width - 6).trimEnd()}`));
  if (lines.length > MOST_LINES) line(paint.dim(`      … ${lines.length - MOST_LINES} more lines`));
}
