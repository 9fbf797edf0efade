import { availableParallelism, loadavg } from "node:os";
import type { Result, Row } from "./measure.ts";
import { OURS, type Unit } from "./suite.ts";

/** A higher load means other work on the machine. */
const BUSY = 1;

export interface Machine {
  cores: number;
  node: string;
  platform: string;
  /** Average of programs that wanted to run in the last minute. */
  load: number;
  isBusy: boolean;
}

/** Measurements add load, so read it first. */
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

/** Formats three digits with the most readable unit. */
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

/** Relative to Haft: above 1, Haft needs less. */
export function computeRatio({ results }: Row, { median }: Result): number {
  return median / (results.find(({ implementation }) => implementation === OURS)?.median ?? Number.NaN);
}

export function formatRatio(ratio: number): string {
  if (!Number.isFinite(ratio)) return "";
  return `${ratio >= 100 ? Math.round(ratio) : ratio.toPrecision(ratio >= 1 ? 3 : 2)}×`;
}

/** `5.10–5.40 µs` contains half of the rounds. */
export function formatQuartiles({ quartiles }: Result, unit: Unit): string {
  const [low = "", high = ""] = quartiles.map((value) => formatValue(value, unit));
  const [number, name] = low.split(" ");
  return high.endsWith(` ${name}`) ? `${number}–${high}` : `${low}–${high}`;
}

/** At most 100 columns. */
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

export function formatCaseName({ case: name, metric: { label } }: Row): string {
  return label === "" ? name : `${name}: ${label}`;
}

/** Describes the machine, with a warning about other load. */
export function formatMachine({ cores, node, platform, load, isBusy }: Machine): string {
  const warning = isBusy
    ? "\nSomething else uses the machine: trust the CPU times, not those on the clock."
    : "";
  return `${cores} cores, Node ${node}, ${platform}, load ${load.toFixed(1)} before${warning}`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
