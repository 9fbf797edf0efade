import { type CommandSubject, HaftError, withoutUndefined } from "@haft/core";
import type { CommandSample, PolicyConfig, PolicyProblem, Positions } from "@haft/policy";
import { commandSamples, formatPath } from "@haft/policy";
import { readPolicyText, readYamlFile } from "../config/policy-file.ts";
import { withScopeFiles } from "../config/scope-files.ts";
import type { HostOptions } from "../host/host-options.ts";
import { createHost } from "../host/host.ts";

/** What was found in rules. */
export interface CheckedPolicy {
  problems: readonly PolicyProblem[];
  warnings: readonly PolicyProblem[];
}

/** What rules are checked for. */
export interface CheckOptions extends Pick<HostOptions, "plugins"> {
  /** They are those that no policy can loosen. */
  administrator?: boolean;
  /** They are for the agents of others. */
  guard?: boolean;
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** What a file of rules says wrong, and what hardly means what was meant. */
export async function checkPolicyFile(file: string, options: CheckOptions): Promise<CheckedPolicy> {
  return check(await readYamlFile(file), file, options);
}

async function check(
  read: Awaited<ReturnType<typeof readYamlFile>>,
  file: string,
  { plugins = [], administrator = false, guard = false }: CheckOptions,
): Promise<CheckedPolicy> {
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
