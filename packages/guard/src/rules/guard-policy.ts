import type { Policy } from "@haft/core";
import {
  createCheckedPolicy,
  type KeyPath,
  type PolicyConfig,
  type PolicyOptions,
  type SourceMap,
} from "@haft/policy/decide";
import { withoutUndefined } from "@haft/utils";
import type { GuardAgent } from "../contract/agent.ts";
import { guardTools } from "../decide/judge.ts";
import type { GuardRules, RulesDocument } from "./guard-rules.ts";

/**
 * The documents were already validated.
 *
 * @throws HaftError `POLICY_INVALID`
 */
export function createGuardPolicy(rules: GuardRules, agent: GuardAgent): Policy {
  return createCheckedPolicy(...policyArguments(rules, agent));
}

export function policyArguments(
  { administrator, policy, workspace }: GuardRules,
  agent: GuardAgent,
): [PolicyConfig, PolicyOptions] {
  const options = withoutUndefined<PolicyOptions>({
    tools: guardTools(agent),
    partial: true,
    source: policy?.source,
    positions: policy && toPositions(policy),
    administrator: administrator && { ...administrator, positions: toPositions(administrator) },
    workspace: workspace.map((each) => ({ ...each, positions: toPositions(each) })),
  });
  return [policy?.config ?? {}, options];
}

export function toPositions({ lines, files }: RulesDocument): SourceMap {
  return Object.assign((path: KeyPath) => lines[JSON.stringify(path)], {
    fileOf: (path: KeyPath) => files[JSON.stringify(path)],
  });
}
