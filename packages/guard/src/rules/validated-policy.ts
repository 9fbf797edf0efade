import { createPolicy, type ExplainingPolicy } from "@haft/policy";
import type { GuardAgent } from "../contract/agent.ts";
import { policyArguments } from "./guard-policy.ts";
import type { GuardRules } from "./guard-rules.ts";

/**
 * Validates the documents.
 *
 * @throws HaftError `POLICY_INVALID`
 */
export function createValidatedPolicy(rules: GuardRules, agent: GuardAgent): ExplainingPolicy {
  return createPolicy(...policyArguments(rules, agent));
}
