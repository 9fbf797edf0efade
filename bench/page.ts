import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { formatChart } from "./chart.ts";
import { DEFAULT_ROUNDS, type Result, type Row } from "./measure.ts";
import { peerVersions } from "./peers.ts";
import {
  formatQuartiles,
  formatRatio,
  formatValue,
  type Machine,
  formatCaseName,
  computeRatio,
} from "./report.ts";
import { OURS, type Suite, WARM_UP_MS } from "./suite.ts";

export interface Measurement {
  machine: Machine;
  suites: readonly Suite[];
  rows: readonly Row[];
  /** States whether peers were measured. */
  peers: boolean;
  /** Omitted suites stay unchanged. */
  isPart: boolean;
}

/** Writes a documentation page, and a folder with its charts. */
export function writePage(file: string, measured: Measurement): void {
  const { suites, rows } = measured;
  const folder = file.replace(/\.md$/, "");
  const charts = rows.filter(({ chart }) => chart !== undefined);
  if (charts.length > 0) mkdirSync(folder, { recursive: true });
  for (const row of charts) writeFileSync(join(folder, chartName(row)), formatChart(row));
  const images = charts.map((row) => {
    const all = row.results.map((result) => `${result.implementation} ${valueOf(row, result)}`);
    return `![${row.chart}: ${all.join(", ")}](${basename(folder)}/${chartName(row)})`;
  });
  const sections = suites.map((suite) =>
    formatSection(
      suite,
      rows.filter((row) => row.suite === suite.name),
    ),
  );
  if (measured.isPart && existsSync(file)) writePart(file, measured, images, sections);
  else writeFileSync(file, [formatHead(measured), ...images, "", ...sections].join("\n"));
}

/** Begins the line of separately measured suites. */
const APART = "Measured separately: ";

/** Replaces some suites of a page, and preserves earlier measurements. */
function writePart(
  file: string,
  { suites, machine }: Measurement,
  images: readonly string[],
  sections: readonly string[],
): void {
  const [head = "", ...others] = readFileSync(file, "utf8").split(/^(?=## )/m);
  const day = new Date().toISOString().slice(0, 10);
  const titled = new Map(others.map((section) => [titleOf(section), section.trimEnd()]));
  for (const section of sections) titled.set(titleOf(section), section.trimEnd());
  const busy = machine.isBusy ? ", with other programs running" : "";
  const apart = new Map(
    (head.split("\n").find((line) => line.startsWith(APART)) ?? APART)
      .slice(APART.length)
      .split("; ")
      .filter(Boolean)
      .map((entry) => [/^\*[^*]+\*/.exec(entry)?.[0] ?? entry, entry.replace(/\.$/, "")]),
  );
  for (const { title } of suites)
    apart.set(`*${title}*`, `*${title}* on ${day} at load ${machine.load.toFixed(1)}${busy}`);
  const lines = head.split("\n").filter((line) => !line.startsWith(APART));
  const fresh = new Map(images.map((image) => [targetOf(image), image]));
  const top = lines.map((line) => fresh.get(targetOf(line)) ?? line).join("\n");
  // After the line about the whole page.
  const dated = top.replace(/\n\n(?=- A cell has)/, `\n\n${APART}${[...apart.values()].join("; ")}.\n\n`);
  const clean = dated.replaceAll(/\n{3,}/g, "\n\n").trimEnd();
  writeFileSync(file, `${[clean, ...titled.values()].join("\n\n")}\n`);
}

function titleOf(section: string): string {
  return section.slice(0, section.indexOf("\n"));
}

function targetOf(line: string): string | undefined {
  return /^!\[.*\]\((.+)\)$/.exec(line)?.[1];
}

function formatHead({ machine, peers }: Measurement): string {
  const { cores, node, platform, load, isBusy } = machine;
  const day = new Date().toISOString().slice(0, 10);
  const busy = isBusy
    ? "\n**Other programs used the machine. Repeat this measurement on an idle machine.**\n"
    : "";
  return `# Benchmarks

This page shows the time and memory that Haft needs, next to bare code and other libraries.

Made by \`npm run bench -- ${process.argv.slice(2).join(" ")}\` on ${day} with ${cores} cores, ${platform}, Node ${node}, at load ${load.toFixed(1)}.
${busy}
- A cell has the median of ${DEFAULT_ROUNDS} rounds, unless a note has another number. In brackets, it has the ratio to Haft: above 1, Haft needs less.
- The small line has the quartiles and, for timed operations, the CPU time of the process without its children.
- \`limit\` is the same work with bare code and without checks.
- Each implementation runs in its own process, and their rounds alternate. Before the first round, a timed operation repeats for
  ${WARM_UP_MS / 1000} s or longer. Other cases discard one round, unless each round has a new process.
- Compare ratios. Times differ between machines.
${peers ? `\nPeers: ${peerVersions().join(", ")}.\n` : ""}`;
}

function chartName({ case: name }: Row): string {
  return `${name.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase()}.svg`;
}

function valueOf(row: Row, { median }: Result): string {
  return formatValue(median, row.metric.unit);
}

function formatSection(suite: Suite, rows: readonly Row[]): string {
  const columns = [
    ...new Set(rows.flatMap((row) => [...row.results, ...row.failures].map((one) => one.implementation))),
  ];
  const table = rows.map((row) => [formatCaseName(row), ...columns.map((column) => formatCell(row, column))]);
  const lines = [["", ...columns], ["---", ...columns.map(() => "--:")], ...table];
  return [
    `## ${suite.title}\n`,
    ...lines.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    ...formatNotes(rows),
    "",
  ].join("\n");
}

/** Notes of cases, where equal notes are shared. */
function formatNotes(rows: readonly Row[]): string[] {
  const cases = [...new Map(rows.map((row) => [row.case, row.about.join(" ")]))];
  const noted = cases.filter(([, note]) => note !== "");
  return Array.from(
    Map.groupBy(noted, ([, note]) => note),
    ([note, all]) => `- ${all.map(([name]) => `*${name}*`).join(", ")}: ${note}`,
  );
}

function formatCell(row: Row, column: string): string {
  const result = row.results.find(({ implementation }) => implementation === column);
  if (result === undefined)
    return row.failures.some(({ implementation }) => implementation === column) ? "fails" : "";
  const { unit } = row.metric;
  const ratio = column === OURS ? "" : formatRatio(computeRatio(row, result));
  const below = [
    ...(result.quartiles[0] === result.quartiles[1] ? [] : [formatQuartiles(result, unit)]),
    ...(result.cpu === undefined ? [] : [`CPU ${formatValue(result.cpu, unit)}`]),
  ];
  return [
    `${valueOf(row, result)}${ratio && ` (${ratio})`}`,
    ...(below.length === 0 ? [] : [`<sub>${below.join(", ")}</sub>`]),
  ].join("<br>");
}
