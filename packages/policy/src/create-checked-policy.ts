import type { Policy } from "@haft/core";
import { createSessionPolicies, computePolicyVersion } from "./decide/sessions.ts";
import type { PolicyConfig } from "./read/policy-config.ts";
import { policyInvalidError } from "./read/problems.ts";
import { createCatalogue } from "./rules/catalogue.ts";
import { compilePolicy, acceptChecked } from "./rules/compile-policy.ts";
import { type PolicyOptions, toPolicySources } from "./rules/compile-policy.ts";

/**
 * Makes a policy of documents that `createPolicy` accepted before, for the same tools. Nothing in them is checked again, so it
 * loads neither the reader of documents nor warnings. For programs that start often and keep the documents as JSON.
 *
 * @param config the document as JSON has it
 * @param options those that it was checked with
 * @throws HaftError `POLICY_INVALID` where a name in a document can mean several tools
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
