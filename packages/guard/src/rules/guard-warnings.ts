import type { ToolFacts } from "@haft/core";
import {
  createPolicy,
  type PolicyConfig,
  type PolicyProblem,
  type SessionRules,
  type SourceMap,
} from "@haft/policy";
import { agents } from "../agents/agents.ts";
import { haftTools } from "../calls/tool-facts.ts";
import { guardTools } from "../decide/judge.ts";

/**
 * Returns warnings about rules for agents that probably differ from their intention.
 *
 * @param source The name of the policy.
 * @param positions The line of each key.
 * @param owner The author of the document. Unknown names are errors only in a `policy`.
 * @throws HaftError `POLICY_INVALID`
 * @example
 * ```ts
 * import { readPolicyFile } from "@haft/config";
 * import { guardWarnings } from "@haft/guard/internal/agents";
 * const { config, positions } = await readPolicyFile("policy.yaml");
 * for (const { path, message } of guardWarnings(config, "policy.yaml", positions)) console.warn(path, message);
 * ```
 */
export function guardWarnings(
  config: PolicyConfig,
  source: string,
  positions: SourceMap,
  owner: "policy" | "administrator" | "workspace" = "policy",
): PolicyProblem[] {
  const document = { config, source, positions };
  const create = (tools: readonly ToolFacts[]) => {
    if (owner === "policy") return createPolicy(config, { tools, partial: true, source, positions });
    const more = owner === "workspace" ? { workspace: [document] } : { administrator: document };
    return createPolicy({}, { tools, partial: true, ...more });
  };
  const each = [...agents.values()].map((agent) => create(guardTools(agent)).unmatched);
  const unmatched = each[0]!.filter(({ path }) =>
    each.every((notices) => notices.some((other) => other.path === path)),
  );
  // Calls of subagents have their own decisions, so the other tools of agents bypass no rule.
  const common = create(Object.values(haftTools));
  const ofAll = [...unmatched, ...common.warnings.filter((warning) => !common.unmatched.includes(warning))];
  const contained = warnOfContainment(config, positions);
  const { mode = "enforce" } = config;
  if (mode === "enforce") return [...contained, ...ofAll];
  const line = positions(["mode"]);
  const message = `The mode is "${mode}", so these rules decide nothing. Set it to enforce, or leave it out.`;
  return [{ severity: "warning", path: "mode", message, ...(line !== undefined && { line }) }, ...ofAll];
}

/** Keys of `exec` that only sessions of Haft use, because a guard does not start the commands. */
const CONTAINMENT_KEYS: readonly string[] = ["containment", "network", "caches"];

/** Returns the keys of `exec` that restrict the commands of a guarded agent. */
export function listExecGates(exec: NonNullable<SessionRules["exec"]>): string[] {
  return Object.keys(exec).filter(
    (key) => !CONTAINMENT_KEYS.includes(key) && !(key === "preset" && exec.preset === "contained"),
  );
}

function warnOfContainment(config: PolicyConfig, positions: SourceMap): PolicyProblem[] {
  const { sessions, agents: ofAgents = {} } = config;
  const scopes: [readonly string[], SessionRules | undefined][] = [
    [[], config],
    [["sessions", "main"], sessions?.main],
    ...Object.entries(ofAgents).map(([name, rules]): [string[], SessionRules] => [["agents", name], rules]),
  ];
  return scopes.flatMap(([path, rules]): PolicyProblem[] => {
    const key = rules?.exec?.preset === "contained" ? "preset" : "containment";
    if (rules?.exec?.[key] === undefined || rules.exec[key] === "none") return [];
    const line = positions([...path, "exec", key]);
    const message =
      "The guard does not contain commands, so this has no effect on a guarded agent. Add deny or ask rules, or preset: careful.";
    const where = [...path, "exec", key].join(".");
    return [{ severity: "warning", path: where, message, ...(line !== undefined && { line }) }];
  });
}
