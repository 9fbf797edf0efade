import { type ToolFacts, withoutUndefined } from "@haft/core";
import { readSelector } from "../patterns/selector.ts";
import type { WorkspacePolicy } from "../read/check-tightening.ts";
import type { Document } from "../read/document.ts";
import type { PolicyConfig } from "../read/policy-config.ts";
import { type PolicyProblem, type SourceMap, Problems } from "../read/problems.ts";
import type { Catalogue } from "./catalogue.ts";
import type { CompileContext } from "./rule.ts";
import { compileScopes, type Scopes } from "./scopes.ts";

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

/** Checks one document, and says how its entries are read and checked while they are compiled. */
export type CheckSource = (
  source: PolicySource,
  problems: Problems,
) => { readonly config: PolicyConfig } & Pick<CompileContext, "readEntry" | "checks">;

/** For documents that were checked before: they are taken as they are. */
export const acceptChecked: CheckSource = ({ config }) => {
  return { config, readEntry: readSelector, checks: undefined };
};

export function compilePolicy(sources: PolicySources, catalogue: Catalogue, check: CheckSource): Compilation {
  const compile = (source: PolicySource) => compileSource(source, catalogue, check);
  const administrator = sources.administrator && compile(sources.administrator);
  const policy = compile(sources.policy);
  const workspace = (sources.workspace ?? []).map(compile);
  const all = [...(administrator ? [administrator] : []), policy, ...workspace];
  for (const { source, problems } of all) {
    if (problems.items.length > 0) return { problem: { document: source.document, found: problems.items } };
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
      notices.items.map((notice) => ({ ...notice, source: source.document.name })),
    ),
  };
}

function compileSource(
  source: PolicySource,
  catalogue: Catalogue,
  check: CheckSource,
): { scopes: Scopes; source: PolicySource; problems: Problems; notices: Problems } {
  const { document } = source;
  const problems = new Problems(document.positions);
  const notices = new Problems(document.positions, "warning");
  const { config, readEntry, checks } = check(source, problems);
  const scopes = compileScopes(config, { document, catalogue, readEntry, checks, problems, notices });
  return { scopes, source: { document, config }, problems, notices };
}

/** What a policy is made for, and how its messages name things. */
export interface PolicyOptions {
  /** Every tool the host knows. Selectors are checked against it. */
  tools: readonly ToolFacts[];
  /** Hosts of these documents have other tools: an entry that names none of these is a warning. */
  partial?: boolean;
  /** Name of the policy file, for messages. Default `the policy`. */
  source?: string;
  /** Tells the line of a key in that file, for messages. */
  positions?: SourceMap;
  /** Rules that come before all others, always hold, and that no other document can loosen. */
  administrator?: AdministratorPolicy;
  /** Documents of the workspace, whoever wrote them there: they tighten what the others say, and nothing else until they are trusted. */
  workspace?: readonly WorkspacePolicy[];
}

/** The document of whoever sees to the machine. */
export interface AdministratorPolicy {
  /** What stands in it. */
  config: PolicyConfig;
  /** Name of the file, for messages. */
  source: string;
  /** Tells the line of a key in that file, for messages. */
  positions?: SourceMap;
}

export function toPolicySources(
  config: PolicyConfig,
  { source = "the policy", positions, administrator, workspace = [] }: PolicyOptions,
): PolicySources {
  return withoutUndefined<PolicySources>({
    policy: { document: { owner: "policy", name: source, positions }, config },
    administrator: administrator && {
      document: { owner: "administrator", name: administrator.source, positions: administrator.positions },
      config: administrator.config,
    },
    workspace: workspace.map(({ config: rules, source: name, positions: lines, trusted }, index) => ({
      document: { owner: `${trusted ? "trusted" : "workspace"} ${index}`, name, positions: lines },
      config: rules,
    })),
  });
}
