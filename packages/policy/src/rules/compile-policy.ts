import { checkTightening, checkTrusted } from "../read/check-tightening.ts";
import { type Document, isOfWorkspace } from "../read/document.ts";
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
  readonly workspace?: readonly PolicySource[];
}

/** All documents of a policy, ready. */
export interface CompiledPolicy {
  readonly administrator: Scopes | undefined;
  readonly policy: Scopes;
  readonly workspace: readonly Scopes[];
}

/** A policy that was read and checked; or the first document with problems. */
export type Compilation =
  | {
      readonly compiled: CompiledPolicy;
      readonly sources: PolicySources;
      /** Of the documents that are for many hosts: entries that nothing here is named by, with the name of the document. */
      readonly unmatched: readonly (PolicyProblem & { readonly source: string })[];
      readonly problem?: undefined;
    }
  | { readonly problem: { readonly document: Document; readonly found: readonly PolicyProblem[] } };

export function compilePolicy(sources: PolicySources, catalogue: Catalogue): Compilation {
  const administrator = sources.administrator && compileSource(sources.administrator, catalogue);
  const policy = compileSource(sources.policy, catalogue);
  const workspace = (sources.workspace ?? []).map((source) => compileSource(source, catalogue));
  const all = [...(administrator ? [administrator] : []), policy, ...workspace];
  for (const { source, problems } of all) {
    if (problems.found.length > 0) return { problem: { document: source.document, found: problems.found } };
  }
  return {
    compiled: {
      administrator: administrator?.scopes,
      policy: policy.scopes,
      workspace: workspace.map(({ scopes }) => scopes),
    },
    sources: {
      administrator: administrator?.source,
      policy: policy.source,
      workspace: workspace.map(({ source }) => source),
    },
    unmatched: all.flatMap(({ source, notices }) =>
      notices.found.map((notice) => ({ ...notice, source: source.document.name })),
    ),
  };
}

function compileSource(
  { document, config }: PolicySource,
  catalogue: Catalogue,
): { scopes: Scopes; source: PolicySource; problems: Problems; notices: Problems } {
  const problems = new Problems(document.positions);
  const notices = new Problems(document.positions, "warning");
  if (isOfWorkspace(document)) checkTightening(config, problems);
  // What it may not say is told, and of what else is wrong with that nothing.
  const checked = problems.found.length > 0 ? {} : readPolicyConfig(config, problems);
  const isWellFormed = problems.found.length === 0;
  if (document.owner.startsWith("trusted ")) checkTrusted(checked, problems);
  if (document.owner === "administrator" && checked.mode !== undefined && checked.mode !== "enforce") {
    const message = `The administrator's document always holds, so it cannot be "${checked.mode}"; leave it out.`;
    problems.add(["mode"], { message });
  }
  const scopes = compileScopes(checked, { document, catalogue, isWellFormed, problems, notices });
  return { scopes, source: { document, config: checked }, problems, notices };
}
