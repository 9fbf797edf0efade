import type { Report } from "../report.ts";
import { pad, wrap } from "./layout.ts";
import type { Screen } from "./screen.ts";

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
  line(
    `\n  ${ok ? paint.green(paint.bold("Verified.")) : paint.red(paint.bold("Not verified."))} ${verdict}.`,
  );
  line(paint.dim("  What else it can do: npm run demo -- --help"));
}
