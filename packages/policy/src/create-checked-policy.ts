import type { Policy } from "@haft/core";
import { createSessionPolicies, computePolicyVersion } from "./decide/sessions.ts";
import type { PolicyConfig } from "./read/policy-config.ts";
import { policyInvalidError } from "./read/problems.ts";
import { createCatalogue } from "./rules/catalogue.ts";
import { compilePolicy, acceptChecked } from "./rules/compile-policy.ts";
import { type PolicyOptions, toPolicySources } from "./rules/compile-policy.ts";

/**
 * Creates a policy from documents that `createPolicy` accepted earlier for the same tools. It skips checks and loads no parser, so programs
 * that start often start faster.
 *
 * @param config The document as JSON.
 * @throws HaftError `POLICY_INVALID` if a name in a document fits several tools
 * @example
 * ```ts run
 * import type { ToolFacts } from "@haft/core";
 * import { createPolicy } from "@haft/policy";
 * import { createCheckedPolicy } from "@haft/policy/decide";
 *
 * const tools: ToolFacts[] = [
 *   { id: "mail/send", name: "send", pluginId: "mail", effects: ["message"], groups: [], optional: false, builtIn: false },
 * ];
 * const { config } = createPolicy({ ask: ["send"] }, { tools });
 * const policy = createCheckedPolicy(JSON.parse(JSON.stringify(config)), { tools });
 * const session = policy.forSession({ kind: "main", agentId: "main", model: "", messageChannel: "" });
 * session.call(tools[0]!, {}).effect; // => "ask"
 * ```
 */
export function createCheckedPolicy(config: PolicyConfig, options: PolicyOptions): Policy {
  const catalogue = createCatalogue([...options.tools], options.partial);
  const made = compilePolicy(toPolicySources(config, options), catalogue, acceptChecked);
  if (made.problem) throw policyInvalidError(made.problem.document.name, made.problem.found);
  const context = { sources: made.sources, catalogue, check: acceptChecked };
  return { forSession: createSessionPolicies(made.compiled, computePolicyVersion(made.sources), context) };
}

export type { AdministratorPolicy, PolicyOptions } from "./rules/compile-policy.ts";
export type { WorkspacePolicy } from "./read/check-tightening.ts";
export type { PolicyConfig } from "./read/policy-config.ts";
export type { KeyPath, SourceMap } from "./read/problems.ts";
