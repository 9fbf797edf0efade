import { cut } from "./layout.ts";
import { printable, type Screen } from "./screen.ts";

/** Lines of a diff that are shown; the rest is counted. */
const MOST_LINES = 16;

/** A unified diff without its file headers: the call above it names the file. */
export function showDiff({ line, paint, width }: Screen, diff: string): void {
  const lines = printable(diff)
    .split("\n")
    .filter((each) => !/^(?:---|\+\+\+) |^$/.test(each));
  for (const each of lines.slice(0, MOST_LINES)) {
    const shown = cut(each, width - 6).trimEnd();
    line(
      `      ${each.startsWith("+") ? paint.green(shown) : each.startsWith("-") ? paint.red(shown) : paint.dim(shown)}`,
    );
  }
  if (lines.length > MOST_LINES) line(paint.dim(`      … ${lines.length - MOST_LINES} more lines`));
}
