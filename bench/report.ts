import { availableParallelism, loadavg } from "node:os";
import type { Result, Row } from "./measure.ts";
import { OURS, type Suite, type Unit } from "./suite.ts";

/** Above it, something else is using the machine. */
const BUSY = 1.5;

/** Measured values for people: three digits and the unit they are easiest to read in. */
export function formatValue(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return "–";
  if (unit === "count") return String(Math.round(value));
  const steps = unit === "time" ? TIME_STEPS : SIZE_STEPS;
  const [size, name] = steps.findLast(([least]) => Math.abs(value) >= least) ?? steps[0]!;
  return `${threeDigits(value / size)} ${name}`;
}

const TIME_STEPS: readonly (readonly [number, string])[] = [
  [1, "ns"],
  [1e3, "µs"],
  [1e6, "ms"],
  [1e9, "s"],
];
const SIZE_STEPS: readonly (readonly [number, string])[] = [
  [1, "B"],
  [1e3, "kB"],
  [1e6, "MB"],
  [1e9, "GB"],
];

function threeDigits(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 || value === 0 ? 0 : size >= 10 ? 1 : 2);
}

/** How an implementation compares to Haft: above 1, Haft needs less. */
export function ratioOf(row: Row, { median }: Result): number {
  const ours = row.results.find(({ implementation }) => implementation === OURS)?.median;
  return ours === undefined ? Number.NaN : median / ours;
}

function formatRatio(ratio: number): string {
  if (!Number.isFinite(ratio)) return "";
  return `${ratio >= 100 ? Math.round(ratio) : ratio.toPrecision(ratio >= 1 ? 3 : 2)}×`;
}

/** One case as lines of at most 100 columns. */
export function formatRow(row: Row): string {
  const { metric } = row;
  const lines = [`${row.case}${metric.label === "" ? "" : `: ${metric.label}`}`];
  for (const result of row.results) {
    const [low, high] = result.quartiles;
    const spread = result.median === 0 ? 0 : ((high - low) / 2 / Math.abs(result.median)) * 100;
    const value = formatValue(result.median, metric.unit).padStart(12);
    const ratio = formatRatio(ratioOf(row, result)).padStart(9);
    lines.push(`  ${result.implementation.padEnd(44)}${value}${ratio}   ±${Math.round(spread)} %`);
  }
  for (const { implementation, reason } of row.failures) {
    lines.push(`  ${implementation.padEnd(44)}${"failed".padStart(12)}   ${firstLine(reason).slice(0, 38)}`);
  }
  return lines.join("\n");
}

/** Says what was measured on, and warns when others were using it. */
export function formatMachine(): string {
  const [load = 0] = loadavg();
  const machine = `${availableParallelism()} cores, Node ${process.versions.node}, ${process.platform} ${process.arch}`;
  const warning =
    load > BUSY
      ? "\nThe machine is busy: trust the ratios, not the times, or count CPU time with --cpu."
      : "";
  return `${machine}, load ${load.toFixed(1)}${warning}`;
}

/** All rows as a page of the documentation: a table for each suite, the implementations as columns. */
export function formatMarkdown(suites: readonly Suite[], rows: readonly Row[]): string {
  const machine = `${availableParallelism()} cores, Node ${process.versions.node}, ${process.platform} ${process.arch}`;
  const head = `# Benchmarks

Made by \`npm run bench -- --peers --markdown docs/reference/benchmarks.md\` (${machine}). Medians; every
implementation runs in a process of its own, and their rounds alternate. In brackets: how often Haft's own number fits
into it. \`limit\` is the same work with bare primitives and no checks. What counts is the ratio: times differ from
machine to machine.
`;
  const sections = suites.map((suite) =>
    formatSection(
      suite,
      rows.filter((row) => row.suite === suite.name),
    ),
  );
  return [head, ...sections].join("\n");
}

function formatSection(suite: Suite, rows: readonly Row[]): string {
  const columns = [
    ...new Set(rows.flatMap((row) => [...row.results, ...row.failures].map((one) => one.implementation))),
  ];
  const cellOf = (row: Row, column: string): string => {
    const result = row.results.find(({ implementation }) => implementation === column);
    if (result === undefined)
      return row.failures.some(({ implementation }) => implementation === column) ? "fails" : "";
    const value = formatValue(result.median, row.metric.unit);
    const ratio = formatRatio(ratioOf(row, result));
    return column === OURS || ratio === "" ? value : `${value} (${ratio})`;
  };
  const table = rows.map((row) => [
    row.metric.label === "" ? row.case : `${row.case}: ${row.metric.label}`,
    ...columns.map((column) => cellOf(row, column)),
  ]);
  const lines = [["", ...columns], ["---", ...columns.map(() => "--:")], ...table];
  const notes = new Map(rows.map((row) => [row.case, row.about]));
  const about = [...notes].flatMap(([name, text]) => (text === undefined ? [] : [`- *${name}*: ${text}`]));
  return [
    `## ${suite.title}\n`,
    ...lines.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    ...about,
    ...(about.length > 0 ? [""] : []),
  ].join("\n");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
