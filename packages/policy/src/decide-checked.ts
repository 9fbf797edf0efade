import type { Policy } from "@haft/core";
import { sessionsOf, versionOf } from "./decide/sessions.ts";
import type { PolicyConfig } from "./read/policy-config.ts";
import { policyInvalid } from "./read/problems.ts";
import { createCatalogue } from "./rules/catalogue.ts";
import { compilePolicy, trustChecked } from "./rules/compile-policy.ts";
import { type PolicyOptions, ruleSourcesOf } from "./rules/compile-policy.ts";

/**
 * Makes a policy of documents that `createPolicy` accepted before, for the same tools. Nothing in them is checked again, so it
 * loads neither the reader of documents nor warnings. For programs that start often and keep the documents as JSON.
 *
 * @param config the document as JSON has it
 * @param options those that it was checked with
 * @throws HaftError `POLICY_INVALID` where a name in a document can mean several tools
 */
export function decideChecked(config: PolicyConfig, options: PolicyOptions): Policy {
  const catalogue = createCatalogue([...options.tools], options.partial);
  const made = compilePolicy(ruleSourcesOf(config, options), catalogue, trustChecked);
  if (made.problem) throw policyInvalid(made.problem.document.name, made.problem.found);
  const context = { sources: made.sources, catalogue, check: trustChecked };
  return { forSession: sessionsOf(made.compiled, versionOf(made.sources), context) };
}

export type { AdministratorPolicy, PolicyOptions } from "./rules/compile-policy.ts";
export type { WorkspacePolicy } from "./read/check-tightening.ts";
export type { PolicyConfig } from "./read/policy-config.ts";
export type { KeyPath, Positions } from "./read/problems.ts";
