import type { CallSubjects, Decision, SessionFacts, SessionPolicy, ToolFacts } from "@haft/core";
import { type TraceStep, findDecisiveStep } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";
import type { CallFacts } from "../patterns/match-call.ts";
import type { CompiledPolicy, PolicySources } from "../rules/compile-policy.ts";
import type { Finding } from "../rules/rule.ts";
import { sessionTable } from "../rules/session-table.ts";
import { endSentence } from "../text/sentence.ts";
import { type EvaluationSubject, evaluate } from "./evaluate.ts";
import { findFix, type FixContext } from "./fix.ts";
import { dependsOnCall, type Layers, createLayers, sessionKey } from "./layers.ts";
import { getOutsideReason } from "./resolve-containment.ts";

export function computePolicyVersion({ policy, administrator, workspace = [] }: PolicySources): string {
  const tightening = workspace.map(({ document: { owner }, config }) => [owner, config]);
  return shortHash(
    JSON.stringify([
      sessionTable.version,
      policy.config,
      ...(administrator ? [administrator.config] : []),
      ...(tightening.length > 0 ? [{ workspace: tightening }] : []),
    ]),
  );
}

/** Sessions that no rule distinguishes share one policy and its cache. */
export function createSessionPolicies(
  compiled: CompiledPolicy,
  version: string,
  context: Omit<FixContext, "shadow">,
): (facts: SessionFacts) => SessionPolicy {
  const sessions = new Map<string, SessionPolicy>();
  return (facts) => {
    const key = sessionKey(compiled, facts);
    let session = sessions.get(key);
    if (!session) {
      const as = (shadow: boolean) =>
        compileSession(createLayers(compiled, facts, shadow), version, { ...context, shadow });
      session = compiled.policy.mode === "shadow" ? withShadow(as(false), as(true)) : as(false);
      sessions.set(key, session);
    }
    return session;
  };
}

function compileSession(layers: Layers, version: string, context: FixContext): Required<SessionPolicy> {
  const answers = new KnownAnswers();
  const decide = (tool: ToolFacts, subject: EvaluationSubject) =>
    makeDecision(layers, tool, subject, version, context);
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
      const needsEvaluation =
        subjects?.node !== undefined ||
        runsCommands(layers, subjects) ||
        getOutsideReason(layers.view, tool, { args, subjects }) !== undefined;
      return known && !needsEvaluation ? known : decide(tool, { args, subjects });
    },
    needsSubjects: (tool) => answer(tool).needsSubjects,
  };
}

/** If a call runs commands, the exec rules apply, regardless of the declared effects. */
function runsCommands({ exec, view }: Layers, subjects: CallSubjects | undefined): boolean {
  const command = subjects?.command;
  if (command === undefined) return false;
  if (command.input === true) return true;
  const wishes = command.security !== undefined || command.ask !== undefined || command.elevated === true;
  return (
    exec.some(({ inspectsCommands }) => inspectsCommands) ||
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
  subject: EvaluationSubject,
  version: string,
  context: FixContext,
): Decision {
  const findings = evaluate(layers, tool, subject, false);
  const { verdict, rule, source, because } = findDecisiveStep(findings)!;
  const id = shortHash([version, tool.id, layers.kind, verdict, rule, source].join("\n"));
  const visible = subject === "visibility" && verdict === "ask";
  const decision: Decision = {
    effect: visible ? "allow" : verdict,
    id,
    reason: endSentence(visible ? `${tool.name} is visible; it ${because}` : `${tool.name} ${because}`),
    get trace() {
      return evaluate(layers, tool, subject).map(toTraceStep);
    },
  };
  const everyTime =
    verdict === "ask" ? findings.find((finding) => finding.everyTime !== undefined) : undefined;
  if (everyTime?.everyTime !== undefined && !visible) decision.everyTime = everyTime.everyTime;
  if (decision.effect === "allow") return decision;
  const call: CallFacts = subject === "visibility" ? { args: undefined } : subject;
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

interface Answers {
  readonly visibility: Decision;
  /** Undefined if a rule depends on the call. */
  readonly call: Decision | undefined;
  readonly needsSubjects: boolean;
}

const MAX_CACHED = 10_000;

class KnownAnswers {
  readonly #byTool = new WeakMap<ToolFacts, Answers>();
  /** Tools with equal facts share answers. */
  readonly #alike = new Map<string, Answers>();

  of(tool: ToolFacts, find: () => Answers): Answers {
    let known = this.#byTool.get(tool);
    if (known) return known;
    const key = describedAs(tool);
    known = this.#alike.get(key);
    if (!known) {
      if (this.#alike.size >= MAX_CACHED) this.#alike.clear();
      this.#alike.set(key, (known = find()));
    }
    this.#byTool.set(tool, known);
    return known;
  }
}

/** Rules read parameters only from calls. */
function describedAs(tool: ToolFacts): string {
  const { id, name, pluginId, optional, builtIn, effects, groups, actions, mcp, effectsUnknown } = tool;
  return JSON.stringify([
    id,
    name,
    pluginId,
    optional,
    builtIn,
    effects,
    groups,
    actions,
    mcp,
    effectsUnknown,
  ]);
}

/** Returns a 64-bit hash as 13 letters and digits (two FNV-1a lanes). Not collision-resistant. */
function shortHash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x01000193) ^ (high >>> 15);
  }
  const value = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  return value.toString(36).padStart(13, "0");
}
