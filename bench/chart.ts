import type { Row } from "./measure.ts";
import { formatValue } from "./report.ts";
import { OURS } from "./suite.ts";

const WIDTH = 760;
const NAMES = 240;
const VALUES = 90;
const LINE = 26;
const HEAD = 34;

/** Bars from zero compare by length; the thin line spans the quartiles. */
export function formatChart({ chart = "", results, failures, metric: { unit } }: Row): string {
  const longest = Math.max(...results.map(({ quartiles }) => quartiles[1]), Number.MIN_VALUE);
  const scaled = (value: number) => rounded((Math.max(value, 0) / longest) * (WIDTH - NAMES - VALUES));
  const bars = results.map(({ implementation, median, quartiles: [low, high] }, index) => {
    const middle = HEAD + index * LINE + LINE / 2;
    const kind = kindOf(implementation);
    const end = NAMES + scaled(Math.max(median, high)) + 8;
    return [
      label(NAMES - 8, middle, implementation, "end"),
      `<rect class="${kind}" x="${NAMES}" y="${middle - 8}" width="${Math.max(scaled(median), 1)}" height="16"/>`,
      `<path d="M${NAMES + scaled(low)} ${middle}H${NAMES + scaled(high)}"/>`,
      label(end, middle, formatValue(median, unit), "start"),
    ].join("");
  });
  const failed = failures.map(({ implementation }, index) => {
    const middle = HEAD + (results.length + index) * LINE + LINE / 2;
    return label(NAMES - 8, middle, implementation, "end") + label(NAMES + 8, middle, "fails", "start");
  });
  const height = HEAD + (results.length + failures.length) * LINE + 6;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>${escaped(chart)}</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f; } .title { font-weight: 600; }
.ours { fill: #2563eb; } .variant { fill: #93b4f5; } .limit { fill: #a3a3a3; } .peer { fill: #d9a441; } path { stroke: #24292f; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } path { stroke: #e6edf3; } }
</style>
<text class="title" x="8" y="20">${escaped(chart)}</text>
${[...bars, ...failed].join("\n")}
</svg>
`;
}

function kindOf(implementation: string): string {
  if (implementation === OURS) return "ours";
  // As in "Haft, flushed to disk".
  const [name] = implementation.split(",", 1);
  return name === OURS ? "variant" : name === "limit" ? "limit" : "peer";
}

function label(x: number, y: number, text: string, anchor: "start" | "end"): string {
  return `<text x="${rounded(x)}" y="${y + 4.5}" text-anchor="${anchor}">${escaped(text)}</text>`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
