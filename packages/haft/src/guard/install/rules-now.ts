import { messageOf } from "@haft/core";
import { agentNamed, guardTools } from "@haft/guard";
import type { GuardRules } from "../rules/guard-rules.ts";
import { policyOf } from "../rules/policy-of.ts";
import { readRules } from "../rules/read-rules.ts";

/**
 * The rules that an agent's calls in this folder are decided by now; `problem` where they cannot be used.
 *
 * @param keeps what is in force is missed when it is gone later
 */
export async function rulesNow(
  agent: string,
  policyFile: string | undefined,
  folder: string,
  keeps = false,
): Promise<{ rules: GuardRules; problem?: string }> {
  const known = agentNamed(agent);
  const rules = await readRules({ policyFile, folders: [folder] }, guardTools(known), { notes: keeps });
  if (rules.broken !== undefined) return { rules, problem: rules.broken.problem };
  try {
    policyOf(rules, known);
    return { rules };
  } catch (thrown) {
    return { rules, problem: messageOf(thrown) };
  }
}
