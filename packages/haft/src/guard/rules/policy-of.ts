import { withoutUndefined } from "@haft/core";
import { type GuardAgent, guardTools } from "@haft/guard";
import { createPolicy, type ExplainingPolicy, type KeyPath, type Positions } from "@haft/policy";
import type { GuardRules, KeptDocument } from "./guard-rules.ts";

/**
 * The policy that calls of an agent are judged by.
 *
 * @throws HaftError `POLICY_INVALID`
 */
export function policyOf(
  { administrator, policy, workspace }: GuardRules,
  agent: GuardAgent,
): ExplainingPolicy {
  return createPolicy(
    policy?.config ?? {},
    withoutUndefined({
      tools: guardTools(agent),
      partial: true,
      source: policy?.source,
      positions: policy && positionsOf(policy),
      administrator: administrator && { ...administrator, positions: positionsOf(administrator) },
      workspace: workspace.map((each) => ({ ...each, positions: positionsOf(each) })),
    }),
  );
}

/** Where each key of a document stands. */
export function positionsOf({ lines, files }: KeptDocument): Positions {
  return Object.assign((path: KeyPath) => lines[JSON.stringify(path)], {
    fileOf: (path: KeyPath) => files[JSON.stringify(path)],
  });
}
