import { HaftError } from "@haft/core";
import type { PolicyConfig, PolicyProblem } from "@haft/policy";
import { readPolicyText, readYamlFile } from "../config/policy-file.ts";
import { withScopeFiles } from "../config/scope-files.ts";
import type { HostOptions } from "../host/host-options.ts";
import { createHost } from "../host/host.ts";
import { programWarnings } from "./program-warnings.ts";

export interface CheckedPolicy {
  problems: readonly PolicyProblem[];
  warnings: readonly PolicyProblem[];
}

export interface CheckOptions extends Pick<HostOptions, "plugins"> {
  administrator?: boolean;
  guard?: boolean;
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

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
      return { problems: [], warnings: dedupeByRule(guardWarnings(config, file, positions)) };
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
      warnings: dedupeByRule([...warnings, ...(await programWarnings(config, positions))]),
    };
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "POLICY_UNREADABLE")
      return { problems: [{ path: "", message: thrown.message }], warnings: [] };
    if (!HaftError.is(thrown) || thrown.code !== "POLICY_INVALID") throw thrown;
    return { problems: (thrown.details as { problems: PolicyProblem[] }).problems, warnings: [] };
  }
}

export function dedupeByRule(warnings: readonly PolicyProblem[]): PolicyProblem[] {
  const byPath = new Map<string, PolicyProblem>();
  for (const warning of warnings) {
    const key = warning.path || warning.message;
    if (!byPath.has(key)) byPath.set(key, warning);
  }
  return [...byPath.values()].toSorted(({ line: a = 0 }, { line: b = 0 }) => a - b);
}
