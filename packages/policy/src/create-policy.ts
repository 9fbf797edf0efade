import {
  withoutUndefined,
  type CallSubjects,
  type Decision,
  type Policy,
  type SessionFacts,
  type SessionPolicy,
  type ToolFacts,
  type TraceStep,
} from "@haft/core";
import { decidingStep, requireKnownOptions } from "@haft/core/internal";
import { type Asked, evaluate } from "./decide/evaluate.ts";
import { type Answers, KnownAnswers } from "./decide/known-answers.ts";
import { dependsOnCall, type Layers, layersOf, sessionKey } from "./decide/layers.ts";
import { reasonToLeave, wishOf } from "./decide/walls.ts";
import { policyError } from "./errors.ts";
import type { AnswerRange } from "./explain/answer-range.ts";
import { explainTool, type Explanation } from "./explain/explain.ts";
import { findFix, type FixContext } from "./explain/fix.ts";
import { boundAnswers } from "./explain/session-variants.ts";
import type { CallFacts } from "./patterns/match-call.ts";
import type { WorkspacePolicy } from "./read/check-tightening.ts";
import type { Document } from "./read/document.ts";
import type { PolicyConfig, PolicyMode } from "./read/policy-config.ts";
import { policyInvalid, type PolicyProblem, type Positions } from "./read/problems.ts";
import { warningsOf } from "./review/warnings.ts";
import { type Catalogue, createCatalogue } from "./rules/catalogue.ts";
import { compilePolicy } from "./rules/compile-policy.ts";
import type { ContainmentWish } from "./rules/containment.ts";
import type { Finding } from "./rules/rule.ts";
import type { Scopes } from "./rules/scopes.ts";
import { hasRow, sessionTable } from "./rules/session-table.ts";
import { sentence } from "./text/sentence.ts";
import { shortHash } from "./text/short-hash.ts";

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
  /**
   * Those of the warnings that are told when a host starts: denials of the administrator's document and of those of the
   * workspace, and questions of them, that name nothing this host has. They hold for what has that name later.
   */
  readonly unmatched: readonly PolicyWarning[];
  /** The tools it was made for. */
  readonly catalogue: readonly ToolFacts[];
  /**
   * How the layers that hold for such a session want its commands contained; `undefined` where none wants it, and for
   * sandboxed sessions. Whoever opens the session sees to it, and says in its facts what came of it.
   */
  containment(facts: SessionFacts): ContainmentWish | undefined;
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
  const { source = "the policy", positions, administrator, workspace = [] } = options;
  const catalogue = createCatalogue([...options.tools], options.partial);
  checkBuiltIns(catalogue);
  const document: Document = { owner: "policy", name: source, positions };
  const made = compilePolicy(
    {
      policy: { document, config },
      administrator: administrator && {
        document: { owner: "administrator", name: administrator.source, positions: administrator.positions },
        config: administrator.config,
      },
      workspace: workspace.map(({ config: rules, source: name, positions: lines, trusted }, index) => ({
        document: { owner: `${trusted ? "trusted" : "workspace"} ${index}`, name, positions: lines },
        config: rules,
      })),
    },
    catalogue,
  );
  if (made.problem) throw policyInvalid(made.problem.document.name, made.problem.found);
  const { compiled, sources, unmatched } = made;
  const checked = sources.policy.config;
  const above = sources.administrator?.config;
  const tightening = (sources.workspace ?? []).map(({ document: { owner }, config: each }) => [owner, each]);
  const version = shortHash(
    JSON.stringify([
      sessionTable.version,
      checked,
      ...(above ? [above] : []),
      ...(tightening.length > 0 ? [{ workspace: tightening }] : []),
    ]),
  );
  const sessions = new Map<string, SessionPolicy>();

  function forSession(facts: SessionFacts): SessionPolicy {
    // Sessions that no rule tells apart share one compiled policy and its answers.
    const key = sessionKey(compiled, facts);
    let session = sessions.get(key);
    if (!session) {
      const as = (shadow: boolean) =>
        compileSession(layersOf(compiled, facts, shadow), version, { sources, catalogue, shadow });
      session = compiled.policy.mode === "shadow" ? withShadow(as(false), as(true)) : as(false);
      sessions.set(key, session);
    }
    return session;
  }

  return {
    version,
    source,
    mode: compiled.policy.mode,
    config: checked,
    ...(above && administrator ? { administrator: { source: administrator.source, config: above } } : {}),
    catalogue: catalogue.tools,
    get warnings() {
      const elsewhere = [compiled.administrator, ...compiled.workspace].some((each) => each?.contains);
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
    containment: (facts) => wishOf(compiled, facts),
    answerRange: (facts, tool, how) => boundAnswers(compiled, forSession, { facts, tool, ...how }),
    explain: (facts, tool, args, subjects) =>
      explainTool(forSession(facts), catalogue, facts, tool, args, subjects),
  };
}

function warningsIn(scopes: Scopes, catalogue: Catalogue, elsewhere?: boolean): PolicyWarning[] {
  const source = scopes.document.name;
  return warningsOf(scopes, catalogue, elsewhere).map((warning) => ({ ...warning, source }));
}

function checkBuiltIns({ tools }: Catalogue): void {
  const missing = tools.filter(({ builtIn, name }) => builtIn && !hasRow(name));
  if (missing.length === 0) return;
  const names = missing.map(({ id }) => id);
  const message = `The session table has no row for built-in ${names.join(", ")}.`;
  throw policyError("POLICY_TABLE_INCOMPLETE", message, { details: { tools: names } });
}

function compileSession(layers: Layers, version: string, context: FixContext): Required<SessionPolicy> {
  const answers = new KnownAnswers();
  const decide = (tool: ToolFacts, asked: Asked) => makeDecision(layers, tool, asked, version, context);
  const find = (tool: ToolFacts): Answers => {
    const { subjects, any } = dependsOnCall(layers, tool);
    const call = any ? undefined : decide(tool, { args: undefined });
    const visibility = call?.effect === "deny" ? call : decide(tool, "visibility");
    return { visibility, call, needsSubjects: subjects };
  };
  const answer = (tool: ToolFacts): Answers => answers.of(tool, () => find(tool));
  return {
    visibility: (tool) => answer(tool).visibility,
    call: (tool, args, subjects) => {
      const known = answer(tool).call;
      const looks =
        subjects?.node !== undefined ||
        runsCommands(layers, subjects) ||
        reasonToLeave(layers.view, tool, { args, subjects }) !== undefined;
      return known && !looks ? known : decide(tool, { args, subjects });
    },
    needsSubjects: (tool) => answer(tool).needsSubjects,
  };
}

/** Whatever the tool says it does: a call that turns out to run commands is under the rules for them. */
function runsCommands({ exec, view }: Layers, subjects: CallSubjects | undefined): boolean {
  const command = subjects?.command;
  if (command === undefined) return false;
  if (command.input === true) return true;
  const wishes = command.security !== undefined || command.ask !== undefined || command.elevated === true;
  return (
    exec.some(({ looks }) => looks) ||
    wishes ||
    (view.containment !== undefined && (subjects?.hosts !== undefined || command.forward !== undefined))
  );
}

function withShadow(enforced: Required<SessionPolicy>, shadow: Required<SessionPolicy>): SessionPolicy {
  const both = (decision: Decision, would: Decision): Decision =>
    Object.defineProperties({} as Decision, {
      ...Object.getOwnPropertyDescriptors(decision),
      shadow: { enumerable: true, value: would },
    });
  const visible = new WeakMap<ToolFacts, Decision>();
  return {
    visibility(tool) {
      let known = visible.get(tool);
      if (!known) visible.set(tool, (known = both(enforced.visibility(tool), shadow.visibility(tool))));
      return known;
    },
    call: (tool, args, subjects) =>
      both(enforced.call(tool, args, subjects), shadow.call(tool, args, subjects)),
    needsSubjects: (tool) => enforced.needsSubjects(tool) || shadow.needsSubjects(tool),
  };
}

function makeDecision(
  layers: Layers,
  tool: ToolFacts,
  asked: Asked,
  version: string,
  context: FixContext,
): Decision {
  const findings = evaluate(layers, tool, asked, false);
  // There always is one, since the session table gives an answer.
  const { verdict, rule, source, because } = decidingStep(findings)!;
  const id = shortHash([version, tool.id, layers.kind, verdict, rule, source].join("\n"));
  const visible = asked === "visibility" && verdict === "ask";
  const decision: Decision = {
    effect: visible ? "allow" : verdict,
    id,
    reason: sentence(visible ? `${tool.name} is visible; it ${because}` : `${tool.name} ${because}`),
    get trace() {
      return evaluate(layers, tool, asked).map(toTraceStep);
    },
  };
  const everyTime =
    verdict === "ask" ? findings.find((finding) => finding.everyTime !== undefined) : undefined;
  if (everyTime?.everyTime !== undefined && !visible) decision.everyTime = everyTime.everyTime;
  // Worked out when somebody looks, and left out where there is nothing to fix.
  if (decision.effect === "allow") return decision;
  const call: CallFacts = asked === "visibility" ? { args: undefined } : asked;
  return withFix(decision, () => findFix(tool, call, layers, context)?.text);
}

function toTraceStep({ layer, rule, source, verdict, toSome }: Finding): TraceStep {
  return withoutUndefined<TraceStep>({ layer, rule, source, verdict, toSome });
}

function withFix(decision: Decision, find: () => string | undefined): Decision {
  let known: { fix: string | undefined } | undefined;
  return Object.defineProperty(decision, "fix", {
    enumerable: true,
    get: () => (known ??= { fix: find() }).fix,
  });
}
