import { createPolicy, type PolicyConfig, type PolicyProblem, type SourceMap } from "@haft/policy";
import { agents } from "../agents/agents.ts";
import { guardTools } from "../decide/judge.ts";

/**
 * Returns warnings about rules for agents that probably differ from their intention.
 *
 * @param source The name of the policy.
 * @param positions The line of each key.
 * @throws HaftError `POLICY_INVALID`
 * @example
 * ```ts
 * import { readPolicyFile } from "@haft/config";
 * import { guardWarnings } from "@haft/guard/internal/agents";
 * const { config, positions } = await readPolicyFile("policy.yaml");
 * for (const { path, message } of guardWarnings(config, "policy.yaml", positions)) console.warn(path, message);
 * ```
 */
export function guardWarnings(config: PolicyConfig, source: string, positions: SourceMap): PolicyProblem[] {
  const each = [...agents.values()].map(
    (agent) => createPolicy(config, { tools: guardTools(agent), partial: true, source, positions }).warnings,
  );
  const ofAll = each[0]!.filter(({ path, message }) =>
    each.every((warnings) => warnings.some((other) => other.path === path && other.message === message)),
  );
  const { mode = "enforce" } = config;
  if (mode === "enforce") return ofAll;
  const line = positions(["mode"]);
  const message = `The mode is "${mode}", so these rules decide nothing. Set it to enforce, or leave it out.`;
  return [{ severity: "warning", path: "mode", message, ...(line !== undefined && { line }) }, ...ofAll];
}
