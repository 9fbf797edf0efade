import type { ToolFacts } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
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

export interface CompiledPolicy {
  readonly administrator: Scopes | undefined;
  readonly policy: Scopes;
  readonly workspace: readonly Scopes[];
}

export type Compilation =
  | {
      readonly compiled: CompiledPolicy;
      readonly sources: PolicySources;
      /** Entries of shared documents that match no tool here. */
      readonly unmatched: readonly (PolicyProblem & { readonly source: string })[];
      readonly problem?: undefined;
    }
  | { readonly problem: { readonly document: Document; readonly found: readonly PolicyProblem[] } };

export type CheckSource = (
  source: PolicySource,
  problems: Problems,
) => { readonly config: PolicyConfig } & Pick<CompileContext, "readEntry" | "checks">;

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

/**
 * Contains options for creating a policy.
 *
 * @example
 * ```ts
 * import type { PolicyOptions } from "@haft/policy";
 *
 * const options: PolicyOptions = {
 *   tools: [],
 *   source: "haft.policy.json",
 *   administrator: { config: { deny: ["effect:message"] }, source: "/etc/haft/policy.json" },
 * };
 * ```
 */
export interface PolicyOptions {
  /** Contains all tools of the host. */
  tools: readonly ToolFacts[];
  /** Indicates that other hosts also use the document, so an entry that matches no tool is only a warning. */
  partial?: boolean;
  /** Names the policy file. Default `the policy`. */
  source?: string;
  /** Returns the line of a key. */
  positions?: SourceMap;
  /** Contains rules that go first and that no other document can loosen. */
  administrator?: AdministratorPolicy;
  /** Contains documents from the workspace. Only trusted documents can do more than tighten. */
  workspace?: readonly WorkspacePolicy[];
}

/** Describes the document of the machine's administrator. */
export interface AdministratorPolicy {
  /** Contains the document. */
  config: PolicyConfig;
  /** Names the file. */
  source: string;
  /** Returns the line of a key. */
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
