import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { formatChart } from "./chart.ts";
import type { Result, Row } from "./measure.ts";
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

/** What a page is made of. */
export interface Measurement {
  machine: Machine;
  suites: readonly Suite[];
  rows: readonly Row[];
  /** Whether the peers were measured. */
  peers: boolean;
  /** Not every suite was measured: the others stay as they are. */
  isPart: boolean;
}

/** Writes all rows as a page of the documentation, and a folder with its charts beside it. */
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

/** Begins the line of what was measured by itself. */
const APART = "Measured by itself: ";

/** Puts some suites into a page that is there; what else stands on it was measured before, and stays. */
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
  const busy = machine.isBusy ? ", while something else used the machine" : "";
  const apart = new Map(
    (head.split("\n").find((line) => line.startsWith(APART)) ?? APART)
      .slice(APART.length)
      .split("; ")
      .filter(Boolean)
      .map((entry) => [/^\*[^*]+\*/.exec(entry)?.[0] ?? entry, entry.replace(/\.$/, "")]),
  );
  for (const { title } of suites)
    apart.set(`*${title}*`, `*${title}* on ${day}, at a load of ${machine.load.toFixed(1)}${busy}`);
  const lines = head.split("\n").filter((line) => !line.startsWith(APART));
  const fresh = new Map(images.map((image) => [targetOf(image), image]));
  const top = lines.map((line) => fresh.get(targetOf(line)) ?? line).join("\n");
  // Behind what is said of the whole.
  const said = top.replace(/\n\n(?=A cell has)/, `\n\n${APART}${[...apart.values()].join("; ")}.\n\n`);
  const clean = said.replaceAll(/\n{3,}/g, "\n\n").trimEnd();
  writeFileSync(file, `${[clean, ...titled.values()].join("\n\n")}\n`);
}

function titleOf(section: string): string {
  return section.slice(0, section.indexOf("\n"));
}

/** Of the line of a chart. */
function targetOf(line: string): string | undefined {
  return /^!\[.*\]\((.+)\)$/.exec(line)?.[1];
}

function formatHead({ machine, peers }: Measurement): string {
  const { cores, node, platform, load, isBusy } = machine;
  const day = new Date().toISOString().slice(0, 10);
  const busy = isBusy
    ? "\n**Something else was using the machine: this page is to be made anew when nothing does.**\n"
    : "";
  return `# Benchmarks

Made by \`npm run bench -- ${process.argv.slice(2).join(" ")}\` on ${day}: ${cores} cores, ${platform}, at a
load of ${load.toFixed(1)} before it began. Every implementation runs in a process of its own on Node ${node}, and their
rounds alternate.
${busy}
A cell has the median of the rounds and, in brackets, how often Haft's own number fits into it. Below are the quartiles,
between which half of the rounds lie, and, of what is repeated, the CPU time of the process, without what it starts.
\`limit\` is the same work with bare primitives and no checks. What is repeated is done for ${WARM_UP_MS / 1000} s before it
counts, or longer where that is said; how what is not is warmed up stands below the table. What counts is the ratio: times differ from machine to machine.
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
  const notes = new Map(rows.map((row) => [row.case, row.about]));
  return [
    `## ${suite.title}\n`,
    ...lines.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    ...Array.from(notes, ([name, about]) => `- *${name}*: ${about.join(" ")}`),
    "",
  ].join("\n");
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
