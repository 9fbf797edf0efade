import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureCase, type Row } from "./measure.ts";
import { writePage } from "./page.ts";
import { installPeers } from "./peers.ts";
import { formatMachine, formatRow, readMachine, computeRatio } from "./report.ts";
import type { Suite } from "./suite.ts";

const SUITES = [
  "kernel",
  "sessions",
  "plugins",
  "imports",
  "files",
  "search",
  "commands",
  "scale",
  "policy",
  "sandbox",
  "contained",
  "store",
  "nodes",
  "mcp",
  "guard",
  "inspector",
];

const HELP = `npm run bench -- [SUITE…] [options]

Measures Haft beside the bare primitives it is made of (the limit) and, with --peers, beside others.

Suites: ${SUITES.join(", ")}; all of them by default.

  --peers           install the peers into bench/peers and measure them too
  --only TEXT       cases whose name contains TEXT
  --rounds N        rounds for each implementation, instead of the case's own number
  --json            print JSON instead of tables
  --markdown FILE   write the page, too, and its charts into a folder of that name without the ending; of some suites, those alone
  --help            this text

Every implementation runs in a process of its own on this Node, rounds alternate, tables show medians, between which
quartiles they lie, and CPU time. The ratio is relative to Haft: 2× takes twice as long.`;

class UsageError extends Error {}

interface Choice {
  suites: Suite[];
  peers: boolean;
  only: string;
  rounds?: number;
  json: boolean;
  markdown?: string;
}

async function readChoice(args: string[]): Promise<Choice | "help"> {
  const { values, positionals } = parse(args);
  if (values.help === true) return "help";
  const names = positionals.length > 0 ? positionals : SUITES;
  const unknown = names.find((name) => !SUITES.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no suite "${unknown}": ${SUITES.join(", ")}.`);
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
    throw new UsageError(`--rounds takes a whole number above 0, not "${values.rounds}".`);
  }
  const modules = names.map((name) => import(`./suites/${name}.ts`) as Promise<{ suite: Suite }>);
  return {
    suites: (await Promise.all(modules)).map(({ suite }) => suite),
    peers: values.peers ?? false,
    only: values.only ?? "",
    json: values.json ?? false,
    ...(rounds === undefined ? {} : { rounds }),
    ...(values.markdown === undefined ? {} : { markdown: values.markdown }),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        peers: { type: "boolean" },
        only: { type: "string" },
        rounds: { type: "string" },
        json: { type: "boolean" },
        markdown: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

async function main(choice: Choice): Promise<void> {
  // Installing peers adds load.
  const machine = readMachine();
  if (choice.peers) {
    progress("installing the peers");
    await installPeers();
  }
  if (!choice.json) console.log(formatMachine(machine));
  const rows: Row[] = [];
  for (const suite of choice.suites) rows.push(...(await measureSuite(suite, choice)));
  progress("");
  if (choice.json) console.log(JSON.stringify(rows.map(withRatios), undefined, 2));
  else console.log(`\n${formatMachine(machine)}`);
  if (choice.markdown !== undefined) {
    const isPart = choice.suites.length < SUITES.length;
    writePage(choice.markdown, { ...choice, machine, rows, isPart });
  }
}

async function measureSuite(suite: Suite, choice: Choice): Promise<Row[]> {
  const cases = suite.cases.filter(({ name }) => name.includes(choice.only));
  if (cases.length === 0) return [];
  const fixtures = mkdtempSync(join(tmpdir(), `haft-bench-${suite.name}-`));
  const remove = () => rmSync(fixtures, { recursive: true, force: true });
  process.once("exit", remove);
  const rows: Row[] = [];
  try {
    progress(`${suite.name}: preparing`);
    await suite.prepare?.(fixtures, choice);
    if (!choice.json) print(`\n${suite.title}\n${"─".repeat(suite.title.length)}`);
    for (const one of cases) {
      const measured = await measureCase(suite, one, { ...choice, fixtures, onProgress: progress });
      rows.push(...measured);
      if (!choice.json) for (const row of measured) print(`\n${formatRow(row)}`);
    }
  } finally {
    remove();
    process.off("exit", remove);
  }
  return rows;
}

function withRatios(row: Row): object {
  return { ...row, results: row.results.map((result) => ({ ...result, ratio: computeRatio(row, result) })) };
}

function print(text: string): void {
  progress("");
  console.log(text);
}

/** Prints one line, which the next replaces. */
function progress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${what.slice(0, 99)}`);
}

// Signals also remove prepared files.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

try {
  const choice = await readChoice(process.argv.slice(2));
  if (choice === "help") console.log(HELP);
  else await main(choice);
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown;
  console.error(`bench: ${thrown.message}\nSee npm run bench -- --help.`);
  process.exitCode = 2;
}
