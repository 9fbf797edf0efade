import type { Document } from "../read/document.ts";
import { readPolicyConfig } from "../read/parse-policy.ts";
import type { PolicyConfig } from "../read/policy-config.ts";
import { type PolicyProblem, Problems } from "../read/problems.ts";
import type { Catalogue } from "./catalogue.ts";
import { compileScopes, type Scopes } from "./scopes.ts";

/** A document with what stands in it. */
export interface PolicySource {
  readonly document: Document;
  readonly config: PolicyConfig;
}

export interface PolicySources {
  readonly policy: PolicySource;
  readonly administrator?: PolicySource | undefined;
}

/** All documents of a policy, ready. */
export interface CompiledPolicy {
  readonly administrator: Scopes | undefined;
  readonly policy: Scopes;
}

/** A policy that was read and checked; or the first document with problems. */
export type Compilation =
  | {
      readonly compiled: CompiledPolicy;
      readonly sources: PolicySources;
      /** Of the administrator's document: entries that nothing here is named by. */
      readonly unmatched: readonly PolicyProblem[];
      readonly problem?: undefined;
    }
  | { readonly problem: { readonly document: Document; readonly found: readonly PolicyProblem[] } };

export function compilePolicy(sources: PolicySources, catalogue: Catalogue): Compilation {
  const administrator = sources.administrator && compileSource(sources.administrator, catalogue);
  const policy = compileSource(sources.policy, catalogue);
  for (const { source, problems } of administrator ? [administrator, policy] : [policy]) {
    if (problems.found.length > 0) return { problem: { document: source.document, found: problems.found } };
  }
  return {
    compiled: { administrator: administrator?.scopes, policy: policy.scopes },
    sources: { administrator: administrator?.source, policy: policy.source },
    unmatched: administrator?.notices.found ?? [],
  };
}

function compileSource(
  { document, config }: PolicySource,
  catalogue: Catalogue,
): { scopes: Scopes; source: PolicySource; problems: Problems; notices: Problems } {
  const problems = new Problems(document.positions);
  const notices = new Problems(document.positions, "warning");
  const checked = readPolicyConfig(config, problems);
  if (document.owner === "administrator" && checked.mode !== undefined && checked.mode !== "enforce") {
    const message = `The administrator's document always holds, so it cannot be "${checked.mode}"; leave it out.`;
    problems.add(["mode"], { message });
  }
  const scopes = compileScopes(checked, { document, catalogue, problems, notices });
  return { scopes, source: { document, config: checked }, problems, notices };
}
