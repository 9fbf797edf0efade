import { createPolicy, type PolicyConfig, type PolicyProblem, type SourceMap } from "@haft/policy";
import { agents } from "../agents/agents.ts";
import { guardTools } from "../decide/judge.ts";

/**
 * What hardly means what was meant in rules for agents of others: for none of them.
 *
 * @throws HaftError `POLICY_INVALID`
 */
export function guardWarnings(config: PolicyConfig, source: string, positions: SourceMap): PolicyProblem[] {
  const each = [...agents.values()].map(
    (agent) => createPolicy(config, { tools: guardTools(agent), partial: true, source, positions }).warnings,
  );
  // A tool of one agent is none of another's.
  const ofAll = each[0]!.filter(({ path, message }) =>
    each.every((warnings) => warnings.some((other) => other.path === path && other.message === message)),
  );
  const { mode = "enforce" } = config;
  if (mode === "enforce") return ofAll;
  const line = positions(["mode"]);
  const message = `The mode is "${mode}", so these rules decide nothing. Set it to enforce, or leave it out.`;
  return [{ severity: "warning", path: "mode", message, ...(line !== undefined && { line }) }, ...ofAll];
}
