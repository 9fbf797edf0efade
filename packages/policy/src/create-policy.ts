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

/** Something that {@link ExplainingPolicy.warnings} tells. */
export interface PolicyWarning extends PolicyProblem {
  /** Name of the file. */
  source: string;
}

/** A policy that can be asked why. */
export interface ExplainingPolicy extends Policy {
  /** Changes with the configuration and with the session table. */
  readonly version: string;
  /** Name of the policy file, for messages. */
  readonly source: string;
  /** Whether the rules of the file hold; those of the administrator always do. */
  readonly mode: PolicyMode;
  /** What stands in the file. */
  readonly config: PolicyConfig;
  /** The administrator's document, when there is one. */
  readonly administrator?: { readonly source: string; readonly config: PolicyConfig };
  /** What may stand there and hardly means what was meant, of both documents. Worked out when it is asked for. */
  readonly warnings: readonly PolicyWarning[];
  /** Warnings told at the start: denials and questions that name nothing here. They hold for what has that name later. */
  readonly unmatched: readonly PolicyWarning[];
  /** The tools it was made for. */
  readonly catalogue: readonly ToolFacts[];
  /** How its layers want commands contained; `undefined` if none does, or in a sandbox. The host sees to it. */
  containment(facts: SessionFacts): RequestedContainment | undefined;
  /** The mildest and strictest answers to calls, whoever writes. `open`: also in each channel, group, model and subagent that rules name. */
  answerRange(facts: SessionFacts, tool: ToolFacts, how?: { open?: boolean }): AnswerRange;
  /**
   * Says what the evaluator decides for a tool, and everything it looked at.
   *
   * @param tool a tool, its short name or `plugin/name`; an unknown name is answered with the nearest
   * @param subjects what the call would do; without it, rules that depend on it give their stricter answer
   */
  explain(
    facts: SessionFacts,
    tool: ToolFacts | string,
    args?: unknown,
    subjects?: CallSubjects,
  ): Explanation;
}

/**
 * Makes the policy of a host. Pure: reads no files, keeps nothing but a cache of its answers.
 *
 * @throws HaftError `POLICY_INVALID` when anything in `config` is malformed, unknown, contradictory
 * or matches no tool, with all problems in `details.problems`;
 * `POLICY_TABLE_INCOMPLETE` when a tool says it is built in but the session table does not know it
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
        // Of each document: the other may want what this one says more of.
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

/** Checks everything about a document, its rules against the tools of a host too. */
export const checkSource: CheckSource = ({ document, config }, problems) => {
  if (isWorkspaceDocument(document)) checkTightening(config, problems);
  // What it may not say is told, and of what else is wrong with that nothing.
  const checked = problems.items.length > 0 ? {} : readPolicyConfig(config, problems);
  const readEntry = problems.items.length === 0 ? readSelector : parseSelector;
  if (document.owner.startsWith("trusted ")) checkTrusted(checked, problems);
  if (document.owner === "administrator" && checked.mode !== undefined && checked.mode !== "enforce") {
    const message = `The administrator's document always holds, so it cannot be "${checked.mode}"; leave it out.`;
    problems.add(["mode"], { message });
  }
  return { config: checked, readEntry, checks: { rule: checkRule, lists: checkShadowed } };
};
