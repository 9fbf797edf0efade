import { type ToolFacts, withoutUndefined } from "@haft/core";
import type { WorkspacePolicy } from "../read/check-tightening.ts";
import type { PolicyConfig } from "../read/policy-config.ts";
import type { Positions } from "../read/problems.ts";
import type { PolicySources } from "./compile-policy.ts";

/** What a policy is made for, and how its messages name things. */
export interface PolicyOptions {
  /** Every tool the host knows. Selectors are checked against it. */
  tools: readonly ToolFacts[];
  /**
   * These are not all tools of the hosts that read these documents: an entry that names none of them is among the
   * warnings, and no problem. What opens something opens nothing by it.
   */
  partial?: boolean;
  /** Name of the policy file, for messages. Default `the policy`. */
  source?: string;
  /** Tells the line of a key in that file, for messages. */
  positions?: Positions;
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
  positions?: Positions;
}

/** The documents of a policy, each with its owner. */
export function sourcesOf(
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
