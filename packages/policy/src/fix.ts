import type { Decision, SessionFacts, ToolFacts } from "@haft/core";
import { type Catalogue, resolveWord } from "./catalogue.ts";
import { applyChanges, type Change, describeChanges } from "./change.ts";
import { decidingStep, evaluate, type Layers } from "./evaluate.ts";
import { joinWords } from "./join-words.ts";
import { type PolicyConfig, readPolicyConfig } from "./policy-config.ts";
import type { PolicyProblem } from "./problems.ts";
import { widerProfile } from "./profiles.ts";
import type { Finding, Remedy } from "./rules.ts";
import { compileScopes, scopesOf } from "./scopes.ts";

export interface Fix {
  readonly changes: readonly Change[];
  /** One or two sentences for people and models. */
  readonly text: string;
}

export interface FixContext {
  readonly config: PolicyConfig;
  readonly source: string;
  readonly catalogue: Catalogue;
  readonly facts: Pick<SessionFacts, "kind" | "agentId">;
}

/**
 * The smallest change of the policy that gives a better answer: every change in it is needed, and
 * the policy with all of them was evaluated and found valid. `undefined` when no change helps.
 */
export function findFix(tool: ToolFacts, layers: Layers, context: FixContext): Fix | undefined {
  const findings = evaluate(layers, tool);
  const { verdict } = decidingStep(findings);
  const inTheWay = findings.filter((finding) => finding.verdict === verdict);
  if (verdict === "allow" || inTheWay.some(({ remedy }) => remedy === undefined)) return undefined;
  const better = (changes: readonly Change[]): Attempt | undefined => {
    const tried = attempt(changes, tool, context);
    return tried && rank[tried.effect] < rank[verdict] ? tried : undefined;
  };
  let best = better(changesFor(inTheWay, tool, context.catalogue));
  if (!best) return undefined;
  // Every rule that denies has to go, but naming the tool in one list can do for another as well.
  for (const addition of best.changes.filter(({ op }) => op === "add")) {
    const fewer: Change[] = best.changes.filter((change) => change !== addition);
    best = (fewer.length > 0 ? better(fewer) : undefined) ?? best;
  }
  return { changes: best.changes, text: describe(best, tool, layers, context) };
}

/** A changed policy, tried out. */
interface Attempt {
  readonly changes: readonly Change[];
  readonly layers: Layers;
  readonly effect: Decision["effect"];
}

/** Evaluates the tool under a changed policy; nothing if that policy would not be valid. */
function attempt(changes: readonly Change[], tool: ToolFacts, context: FixContext): Attempt | undefined {
  const { config, source, catalogue, facts } = context;
  const problems: PolicyProblem[] = [];
  const changed = readPolicyConfig(applyChanges(config, changes), problems);
  const scopes = compileScopes(changed, source, catalogue, problems);
  if (problems.length > 0) return undefined;
  const layers = { kind: facts.kind, scopes: scopesOf(scopes, facts) };
  return { changes, layers, effect: effectOf(layers, tool) };
}

function effectOf(layers: Layers, tool: ToolFacts): Decision["effect"] {
  return decidingStep(evaluate(layers, tool)).verdict;
}

const rank = { allow: 0, ask: 1, deny: 2 };

function changesFor(inTheWay: readonly Finding[], tool: ToolFacts, catalogue: Catalogue): Change[] {
  const changes = new Map<string, Change>();
  for (const { remedy } of inTheWay) {
    if (remedy === undefined) continue;
    const change = complete(remedy, tool, catalogue);
    changes.set(JSON.stringify(change), change);
  }
  return [...changes.values()];
}

function complete(remedy: Remedy, tool: ToolFacts, catalogue: Catalogue): Change {
  switch (remedy.op) {
    case "remove":
      return remedy;
    case "name":
      return { op: "add", scope: remedy.scope, list: remedy.list, selector: shortestName(tool, catalogue) };
    case "widen":
      return {
        op: "profile",
        scope: remedy.scope,
        profile: widerProfile(remedy.profile, tool, catalogue.tools),
      };
  }
}

/** The short name where a list that opens takes it for this tool, else the id. */
function shortestName(tool: ToolFacts, catalogue: Catalogue): string {
  const meant = resolveWord({ text: tool.name, target: { kind: "word", word: tool.name } }, true, catalogue);
  return "target" in meant && meant.target.kind === "id" && meant.target.id === tool.id ? tool.name : tool.id;
}

function describe(fix: Attempt, tool: ToolFacts, before: Layers, { source, catalogue }: FixContext): string {
  const sentence = `${joinWords(describeChanges(fix.changes))} in ${source}.`;
  const notes: string[] = [];
  const opened = alsoOpened(fix, tool, before, catalogue);
  if (opened.length > 0) notes.push(` This also opens ${joinWords(opened)}.`);
  if (fix.effect === "ask") notes.push(" Each call will still need approval.");
  return sentence[0]!.toUpperCase() + sentence.slice(1) + notes.join("");
}

/** Other tools of the session that the fix lets further than before; naming a tool opens no other. */
function alsoOpened(fix: Attempt, tool: ToolFacts, before: Layers, catalogue: Catalogue): string[] {
  if (fix.changes.every(({ op }) => op === "add")) return [];
  const opened = catalogue.tools.filter((other) => {
    return other.id !== tool.id && rank[effectOf(fix.layers, other)] < rank[effectOf(before, other)];
  });
  const names = opened.map((other) => shortestName(other, catalogue));
  return names.length > 5 ? [...names.slice(0, 4), `${names.length - 4} more`] : names;
}
