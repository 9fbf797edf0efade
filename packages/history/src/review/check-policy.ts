import { dedupeByRule, readPolicyText, readYamlFile, withScopeFiles } from "@haft/config/internal/document";
import { HaftError } from "@haft/core";
import { type HostOptions, createHost } from "@haft/host";
import type { PolicyConfig, PolicyProblem, SourceMap } from "@haft/policy";
import { programWarnings } from "./program-warnings.ts";

/**
 * Contains the result of {@link checkPolicyFile}.
 *
 * @example
 * ```ts
 * import type { CheckedPolicy } from "@haft/history";
 * const isUsable = ({ problems }: CheckedPolicy) => problems.length === 0;
 * ```
 */
export interface CheckedPolicy {
  /** Lists errors by line. */
  problems: readonly PolicyProblem[];
  /** Lists warnings by line, one for each rule. Empty if there are problems. */
  warnings: readonly PolicyProblem[];
}

/**
 * Contains the options of {@link checkPolicyFile}.
 *
 * @example
 * ```ts
 * import type { CheckOptions } from "@haft/history";
 * const options: CheckOptions = { administrator: true };
 * ```
 */
export interface CheckOptions extends Pick<HostOptions, "plugins" | "mcp"> {
  /** Checks the rules of an administrator. Default false. */
  administrator?: boolean;
  /** Returns warnings for guarded agents instead of a host. */
  guard?: (config: PolicyConfig, source: string, positions: SourceMap) => PolicyProblem[];
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Checks a policy file as a host would use it. An unreadable file is a problem, not an exception.
 *
 * @example
 * ```ts
 * import { checkPolicyFile } from "@haft/history";
 * const { problems, warnings } = await checkPolicyFile("policy.yaml", {});
 * for (const { line = "?", message } of [...problems, ...warnings]) console.log(`policy.yaml:${line}: ${message}`);
 * ```
 */
export async function checkPolicyFile(file: string, options: CheckOptions): Promise<CheckedPolicy> {
  return check(await readYamlFile(file), file, options);
}

async function check(
  read: Awaited<ReturnType<typeof readYamlFile>>,
  file: string,
  { plugins = [], mcp, administrator = false, guard }: CheckOptions,
): Promise<CheckedPolicy> {
  if ("problems" in read) return { problems: read.problems, warnings: [] };
  try {
    const text = { config: read.value as PolicyConfig, positions: read.positions };
    const { config, positions } = await withScopeFiles(text, file, readPolicyText);
    if (guard !== undefined) {
      const ofRules = guard(config, file, positions);
      return {
        problems: [],
        warnings: dedupeByRule([...ofRules, ...(await programWarnings(config, positions))]),
      };
    }
    const host = await createHost({
      plugins,
      ...(mcp && { mcp }),
      stateDir: false,
      // `host.policy.warnings` has the messages.
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
