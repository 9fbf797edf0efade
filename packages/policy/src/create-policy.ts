import type { CallSubjects, Policy, SessionFacts, ToolFacts } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { resolveContainment } from "./decide/resolve-containment.ts";
import { createSessionPolicies, computePolicyVersion } from "./decide/sessions.ts";
import { policyError } from "./errors.ts";
import type { AnswerRange } from "./explain/answer-range.ts";
import { explainTool, type Explanation } from "./explain/explain.ts";
import { computeAnswerRange } from "./explain/session-variants.ts";
import { parseSelector, readSelector } from "./patterns/selector.ts";
import { checkTightening, checkTrusted } from "./read/check-tightening.ts";
import { isWorkspaceDocument } from "./read/document.ts";
import { readPolicyConfig } from "./read/parse-policy.ts";
import type { PolicyConfig, PolicyMode } from "./read/policy-config.ts";
import { policyInvalidError, type PolicyProblem } from "./read/problems.ts";
import { collectWarnings } from "./review/warnings.ts";
import { type Catalogue, createCatalogue } from "./rules/catalogue.ts";
import { checkRule } from "./rules/check-rule.ts";
import {
  type CheckSource,
  compilePolicy,
  type PolicyOptions,
  toPolicySources,
} from "./rules/compile-policy.ts";
import type { RequestedContainment } from "./rules/containment.ts";
import type { Scopes } from "./rules/scopes.ts";
import { hasRow } from "./rules/session-table.ts";
import { checkShadowed } from "./rules/shadowed.ts";

export interface PolicyWarning extends PolicyProblem {
  /** Names the file. */
  source: string;
}

/**
 * Describes a policy that also explains its decisions.
 *
 * @example
 * ```ts run
 * import { createPolicy } from "@haft/policy";
 *
 * const send = { id: "mail/send", name: "send", pluginId: "mail", effects: ["message"], groups: [] } as const;
 * const policy = createPolicy({ deny: ["send"] }, { tools: [{ ...send, optional: false, builtIn: false }] });
 * const explanation = policy.explain({ kind: "main", agentId: "main", model: "", messageChannel: "" }, "sent");
 * explanation.known ? [] : explanation.nearest; // => ["send"]
 * ```
 */
export interface ExplainingPolicy extends Policy {
  /** Changes with the configuration and with the session table. */
  readonly version: string;
  /** Names the policy file. */
  readonly source: string;
  /** Applies to the file. Administrator rules always apply. */
  readonly mode: PolicyMode;
  /** Contains the document. */
  readonly config: PolicyConfig;
  /** Contains the administrator's document. */
  readonly administrator?: { readonly source: string; readonly config: PolicyConfig };
  /** Lists valid entries that probably do not mean what the author intended. */
  readonly warnings: readonly PolicyWarning[];
  /** Lists denials and questions that match no tool. They apply to later tools with these names. */
  readonly unmatched: readonly PolicyWarning[];
  /** Contains the tools of the host. */
  readonly catalogue: readonly ToolFacts[];
  /** Returns the containment that the layers require; `undefined` in sandboxes and if no layer requires it. The host enforces it. */
  containment(facts: SessionFacts): RequestedContainment | undefined;
  /** Returns the mildest and strictest answers to calls of a tool, for any sender. `open` adds the scopes that rules name. */
  answerRange(facts: SessionFacts, tool: ToolFacts, how?: { open?: boolean }): AnswerRange;
  /**
   * Explains the decision for a tool, with every checked rule.
   *
   * @param tool A name or `plugin/name`. For an unknown name, the result has the nearest names.
   * @param subjects The effects of the call. Without it, rules that depend on it give their stricter answer.
   */
  explain(
    facts: SessionFacts,
    tool: ToolFacts | string,
    args?: unknown,
    subjects?: CallSubjects,
  ): Explanation;
}

/**
 * Creates the policy of a host from a document. It reads no files.
 *
 * @throws HaftError `POLICY_INVALID` with all problems in `details.problems`; `POLICY_TABLE_INCOMPLETE` if the session table has no row for
 * a built-in tool
 * @example
 * ```ts run
 * import { Registry } from "@haft/core/kernel";
 * import { createPolicy } from "@haft/policy";
 * import files from "@haft/tools-fs/plugin";
 *
 * const tools = await new Registry({ plugins: [files], builtIn: [files.id] }).survey(console);
 * const policy = createPolicy({ deny: ["apply_patch"], ask: ["write(path:src/*)"] }, { tools });
 * const facts = { kind: "main", agentId: "main", model: "", messageChannel: "" } as const;
 * const apply = tools.find(({ name }) => name === "apply_patch")!;
 * policy.forSession(facts).visibility(apply).effect; // => "deny"
 * ```
 */
export function createPolicy(config: PolicyConfig, options: PolicyOptions): ExplainingPolicy {
  requireKnownOptions<PolicyOptions>("createPolicy", options, {
    tools: true,
    partial: true,
    source: true,
    positions: true,
    administrator: true,
    workspace: true,
  });
  const { source = "the policy", administrator } = options;
  const catalogue = createCatalogue([...options.tools], options.partial);
  checkBuiltIns(catalogue);
  const made = compilePolicy(toPolicySources(config, options), catalogue, checkSource);
  if (made.problem) throw policyInvalidError(made.problem.document.name, made.problem.found);
  const { compiled, sources, unmatched } = made;
  const checked = sources.policy.config;
  const above = sources.administrator?.config;
  const version = computePolicyVersion(sources);
  const forSession = createSessionPolicies(compiled, version, { sources, catalogue, check: checkSource });

  return {
    version,
    source,
    mode: compiled.policy.mode,
    config: checked,
    ...(above && administrator ? { administrator: { source: administrator.source, config: above } } : {}),
    catalogue: catalogue.tools,
    get warnings() {
      const elsewhere = [compiled.administrator, ...compiled.workspace].some((each) => each?.hasContainment);
      return [
        ...unmatched,
        // The other document may require containment.
        ...(compiled.administrator ? warningsIn(compiled.administrator, catalogue, true) : []),
        ...warningsIn(compiled.policy, catalogue, elsewhere),
        ...compiled.workspace.flatMap((each) => warningsIn(each, catalogue, true)),
      ];
    },
    unmatched,
    forSession,
    containment: (facts) => resolveContainment(compiled, facts),
    answerRange: (facts, tool, how) => computeAnswerRange(compiled, forSession, { facts, tool, ...how }),
    explain: (facts, tool, args, subjects) =>
      explainTool(forSession(facts), catalogue, facts, tool, args, subjects),
  };
}

function warningsIn(scopes: Scopes, catalogue: Catalogue, elsewhere?: boolean): PolicyWarning[] {
  const source = scopes.document.name;
  return collectWarnings(scopes, catalogue, elsewhere).map((warning) => ({ ...warning, source }));
}

function checkBuiltIns({ tools }: Catalogue): void {
  const missing = tools.filter(({ builtIn, name }) => builtIn && !hasRow(name));
  if (missing.length === 0) return;
  const names = missing.map(({ id }) => id);
  const message = `The session table has no row for built-in ${names.join(", ")}.`;
  throw policyError("POLICY_TABLE_INCOMPLETE", message, { details: { tools: names } });
}

export const checkSource: CheckSource = ({ document, config }, problems) => {
  if (isWorkspaceDocument(document)) checkTightening(config, problems);
  // After a key problem, other checks would only repeat it.
  const checked = problems.items.length > 0 ? {} : readPolicyConfig(config, problems);
  const readEntry = problems.items.length === 0 ? readSelector : parseSelector;
  if (document.owner.startsWith("trusted ")) checkTrusted(checked, problems);
  if (document.owner === "administrator" && checked.mode !== undefined && checked.mode !== "enforce") {
    const message = `The administrator's document always applies, so it cannot be "${checked.mode}"; leave it out.`;
    problems.add(["mode"], { message });
  }
  return { config: checked, readEntry, checks: { rule: checkRule, lists: checkShadowed } };
};
