import { type CommandSubject, HaftError, withoutUndefined } from "@haft/core";
import type { CommandSample, PolicyConfig, PolicyProblem, Positions } from "@haft/policy";
import { commandSamples, formatPath } from "@haft/policy";
import { formatProblem } from "../../config/format-problem.ts";
import { readPolicyText, readYamlFile } from "../../config/policy-file.ts";
import { withScopeFiles } from "../../config/scope-files.ts";
import type { HostOptions } from "../../host/host-options.ts";
import { createHost } from "../../host/host.ts";
import { UsageError } from "../usage.ts";

/** What was found in one file. */
interface Checked {
  file: string;
  problems: readonly PolicyProblem[];
  warnings: readonly PolicyProblem[];
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** A file that is wrong throughout is wrong for one reason. */
const MOST_SHOWN = 20;

/** Prints every problem of each file, and what hardly means what was meant. Resolves to the exit code. */
export async function checkFiles(
  files: readonly string[],
  options: Pick<HostOptions, "plugins"> & { administrator?: boolean; guard?: boolean; json?: boolean },
): Promise<number> {
  if (files.length === 0) throw new UsageError("Which file? haft policy check FILE…");
  const results: Checked[] = [];
  for (const file of files) results.push({ file, ...(await check(file, options)) });
  const failed = results.some(({ problems }) => problems.length > 0);
  if (options.json) console.log(JSON.stringify({ ok: !failed, files: results }));
  else for (const result of results) print(result);
  return failed ? 1 : 0;
}

function print({ file, problems, warnings }: Checked): void {
  for (const list of [problems, warnings]) {
    for (const problem of list.slice(0, MOST_SHOWN)) console.error(formatProblem(file, problem));
    if (list.length > MOST_SHOWN)
      console.error(
        `${file}: ${list.length - MOST_SHOWN} more ${list === problems ? "problems" : "warnings"}.`,
      );
  }
  if (problems.length > 0) return;
  const { length } = warnings;
  console.log(`${file}: no problems${length === 0 ? "" : `, ${length} warning${length === 1 ? "" : "s"}`}.`);
}

async function check(
  file: string,
  { plugins = [], administrator = false, guard = false }: Parameters<typeof checkFiles>[1],
): Promise<Omit<Checked, "file">> {
  const read = await readYamlFile(file);
  if ("problems" in read) return { problems: read.problems, warnings: [] };
  try {
    const text = { config: read.value as PolicyConfig, positions: read.positions };
    const { config, positions } = await withScopeFiles(text, file, readPolicyText);
    if (guard) {
      const { guardWarnings } = await import("./guard-warnings.ts");
      return { problems: [], warnings: onePerRule(guardWarnings(config, file, positions)) };
    }
    const host = await createHost({
      plugins,
      stateDir: false,
      // What a host tells when it starts is among the warnings.
      logger: SILENT,
      ...(administrator
        ? { administratorPolicy: { config, source: file, positions } }
        : { administratorPolicy: false, policy: config, policySource: file, policyPositions: positions }),
    });
    const { warnings } = host.policy;
    await host.close();
    return {
      problems: [],
      warnings: onePerRule([...warnings, ...(await programWarnings(config, positions))]),
    };
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "POLICY_UNREADABLE")
      return { problems: [{ path: "", message: thrown.message }], warnings: [] };
    if (!HaftError.is(thrown) || thrown.code !== "POLICY_INVALID") throw thrown;
    return { problems: (thrown.details as { problems: PolicyProblem[] }).problems, warnings: [] };
  }
}

/** In the order of the file. */
function onePerRule(warnings: readonly PolicyProblem[]): PolicyProblem[] {
  const byPath = new Map<string, PolicyProblem>();
  for (const warning of warnings) if (!byPath.has(warning.path)) byPath.set(warning.path, warning);
  return [...byPath.values()].toSorted(({ line: a = 0 }, { line: b = 0 }) => a - b);
}

/** Patterns that speak of programs as they are not here: a warning each, since another machine may have them. */
async function programWarnings(config: PolicyConfig, positions: Positions): Promise<PolicyProblem[]> {
  const samples = commandSamples(config);
  if (samples.length === 0) return [];
  // A policy of its own, under which every command is looked at.
  const host = await createHost({
    stateDir: false,
    administratorPolicy: false,
    policy: { exec: { preset: "careful" } },
  });
  try {
    const preview = await host.preview({ kind: "main" });
    const warnings: PolicyProblem[] = [];
    for (const sample of samples) {
      const all: (Warning | undefined)[] = [];
      for (const command of sample.lines) {
        const { plan } = await preview.explain("exec", { command });
        all.push(warningOf(sample, plan?.subjects?.command));
      }
      if (all.includes(undefined)) continue;
      // Only what is so of all lines is so of the pattern.
      const warning = all.find((one) => one?.message.startsWith(NEVER) === false) ?? all[0];
      if (warning === undefined) continue;
      const line = positions(sample.path);
      const place = { path: formatPath(sample.path), line, file: positions.fileOf?.(sample.path) };
      warnings.push(withoutUndefined({ severity: "warning", ...place, ...warning }));
    }
    return warnings;
  } finally {
    await host.close();
  }
}

const NEVER = "A list never lets this through";

type Warning = Pick<PolicyProblem, "message" | "nearest">;

function warningOf(
  { pattern, program, opens }: CommandSample,
  command: CommandSubject | undefined,
): Warning | undefined {
  const first = command?.commands[0];
  if (command === undefined || first === undefined) return undefined;
  // As it is written: a long name may stand for the short one.
  if ((first.argv[0] ?? first.name) !== program) {
    const through = first.through.at(-1);
    if (!opens || through === undefined) return undefined;
    return {
      message: `${program} is looked through: what it starts has to be listed, not ${program} itself.`,
    };
  }
  if (program.startsWith("/") && first.path !== undefined && first.path !== program) {
    const message = `${program} leads to ${first.path}, and the real path is what is compared.`;
    return { message, nearest: [pattern.replace(program, () => first.path ?? program)] };
  }
  if (opens && command.unclear !== undefined) {
    return {
      message: `${NEVER}, since it is not certain what it would run: ${command.unclear}.`,
    };
  }
  if (opens && first.carrier !== undefined && /^\S+(?: \*)?$/.test(pattern)) {
    return { message: `${first.carrier}, so with this on a list anything runs; name what it may run.` };
  }
  if (first.path === undefined && first.builtin !== true) {
    return { message: `There is no program ${JSON.stringify(program)} here.` };
  }
  return undefined;
}
