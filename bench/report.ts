import { availableParallelism, loadavg } from "node:os";
import type { Result, Row } from "./measure.ts";
import { OURS, type Unit } from "./suite.ts";

/** Above it, something else is using the machine. */
const BUSY = 1;

/** What is measured on. */
export interface Machine {
  cores: number;
  node: string;
  platform: string;
  /** Programs that wanted to run in the last minute, on average. */
  load: number;
  isBusy: boolean;
}

/** As it is now: what is measured makes a load, too. */
export function readMachine(): Machine {
  const [load = 0] = loadavg();
  const { platform, arch, versions } = process;
  return {
    cores: availableParallelism(),
    node: versions.node,
    platform: `${platform} ${arch}`,
    load,
    isBusy: load > BUSY,
  };
}

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
export function computeRatio({ results }: Row, { median }: Result): number {
  return median / (results.find(({ implementation }) => implementation === OURS)?.median ?? Number.NaN);
}

/** Empty where there is none. */
export function formatRatio(ratio: number): string {
  if (!Number.isFinite(ratio)) return "";
  return `${ratio >= 100 ? Math.round(ratio) : ratio.toPrecision(ratio >= 1 ? 3 : 2)}×`;
}

/** `5.10–5.40 µs`: half of the rounds lie between. */
export function formatQuartiles({ quartiles }: Result, unit: Unit): string {
  const [low = "", high = ""] = quartiles.map((value) => formatValue(value, unit));
  const [number, name] = low.split(" ");
  return high.endsWith(` ${name}`) ? `${number}–${high}` : `${low}–${high}`;
}

/** One case as lines of at most 100 columns. */
export function formatRow(row: Row): string {
  const { unit } = row.metric;
  const lines = [formatCaseName(row)];
  for (const result of row.results) {
    const { implementation, median, cpu } = result;
    const ratio = formatRatio(computeRatio(row, result));
    const cells = [
      `  ${implementation}`.padEnd(42),
      formatValue(median, unit).padStart(8),
      ratio.padStart(8),
      formatQuartiles(result, unit).padStart(20),
      cpu === undefined ? "" : `   CPU ${formatValue(cpu, unit)}`,
    ];
    lines.push(cells.join(" ").trimEnd());
  }
  for (const { implementation, reason } of row.failures) {
    lines.push(`  ${implementation.padEnd(42)}failed   ${firstLine(reason).slice(0, 45)}`);
  }
  return lines.join("\n");
}

/** The case, and which of its numbers it is. */
export function formatCaseName({ case: name, metric: { label } }: Row): string {
  return label === "" ? name : `${name}: ${label}`;
}

/** Says what was measured on, and warns when others were using it. */
export function formatMachine({ cores, node, platform, load, isBusy }: Machine): string {
  const warning = isBusy
    ? "\nSomething else uses the machine: trust the CPU times, not those on the clock."
    : "";
  return `${cores} cores, Node ${node}, ${platform}, load ${load.toFixed(1)} before${warning}`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
