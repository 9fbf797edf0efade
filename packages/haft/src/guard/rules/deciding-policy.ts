import { type Policy, withoutUndefined } from "@haft/core";
import { type GuardAgent, guardTools } from "@haft/guard";
import {
  decideChecked,
  type KeyPath,
  type PolicyConfig,
  type PolicyOptions,
  type Positions,
} from "@haft/policy/decide";
import type { GuardRules, KeptDocument } from "./guard-rules.ts";

/**
 * The policy that calls of an agent are judged by, of documents that were checked when they were read.
 *
 * @throws HaftError `POLICY_INVALID`
 */
export function decidingPolicy(rules: GuardRules, agent: GuardAgent): Policy {
  return decideChecked(...policyArguments(rules, agent));
}

export function policyArguments(
  { administrator, policy, workspace }: GuardRules,
  agent: GuardAgent,
): [PolicyConfig, PolicyOptions] {
  const options = withoutUndefined<PolicyOptions>({
    tools: guardTools(agent),
    partial: true,
    source: policy?.source,
    positions: policy && positionsOf(policy),
    administrator: administrator && { ...administrator, positions: positionsOf(administrator) },
    workspace: workspace.map((each) => ({ ...each, positions: positionsOf(each) })),
  });
  return [policy?.config ?? {}, options];
}

export function positionsOf({ lines, files }: KeptDocument): Positions {
  return Object.assign((path: KeyPath) => lines[JSON.stringify(path)], {
    fileOf: (path: KeyPath) => files[JSON.stringify(path)],
  });
}
