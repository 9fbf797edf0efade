import type { SessionFacts, ToolFacts } from "@haft/core";
import { type Catalogue, resolveWord } from "./catalogue.ts";
import { applyChanges, type Change, describeChanges } from "./change.ts";
import { decidingStep, evaluate } from "./evaluate.ts";
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
export function findFix(tool: ToolFacts, findings: readonly Finding[], context: FixContext): Fix | undefined {
  const { verdict } = decidingStep(findings);
  const inTheWay = findings.filter((finding) => finding.verdict === verdict);
  if (verdict === "allow" || inTheWay.some(({ remedy }) => remedy === undefined)) return undefined;
  const wanted = inTheWay.flatMap(({ remedy }) =>
    remedy ? [complete(remedy, tool, context.catalogue)] : [],
  );
  let changes = wanted.filter((change, index) => wanted.findIndex((other) => same(change, other)) === index);
  const before = rank[verdict];
  const flips = (candidate: readonly Change[]) =>
    rank[effectWith(candidate, tool, context) ?? verdict] < before;
  if (!flips(changes)) return undefined;
  // One change can do the work of another: naming an optional tool in allow switches it on as well.
  for (const change of changes) {
    const fewer = changes.filter((other) => other !== change);
    if (fewer.length > 0 && flips(fewer)) changes = fewer;
  }
  return { changes, text: describe(changes, tool, context) };
}

const rank = { allow: 0, ask: 1, deny: 2 };

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

/** The session's layers under a changed policy, or nothing if that policy would not be valid. */
function layersWith(changes: readonly Change[], { config, source, catalogue, facts }: FixContext) {
  const problems: PolicyProblem[] = [];
  const changed = readPolicyConfig(applyChanges(config, changes), problems);
  const scopes = compileScopes(changed, source, catalogue, problems);
  return problems.length > 0 ? undefined : { kind: facts.kind, scopes: scopesOf(scopes, facts) };
}

function effectWith(changes: readonly Change[], tool: ToolFacts, context: FixContext) {
  const layers = layersWith(changes, context);
  return layers && decidingStep(evaluate(layers, tool)).verdict;
}

function describe(changes: readonly Change[], tool: ToolFacts, context: FixContext): string {
  const sentence = `${joinWords(describeChanges(changes))} in ${context.source}.`;
  const notes: string[] = [];
  const opened = alsoOpened(changes, tool, context);
  if (opened.length > 0) notes.push(` This also opens ${joinWords(opened)}.`);
  if (effectWith(changes, tool, context) === "ask") notes.push(" Each call will still need approval.");
  return sentence[0]!.toUpperCase() + sentence.slice(1) + notes.join("");
}

/** Other tools of the session that the changes let further than before. */
function alsoOpened(changes: readonly Change[], tool: ToolFacts, context: FixContext): string[] {
  const before = layersWith([], context);
  const after = layersWith(changes, context);
  if (!before || !after) return [];
  const opened = context.catalogue.tools.filter((other) => {
    if (other.id === tool.id) return false;
    return (
      rank[decidingStep(evaluate(after, other)).verdict] < rank[decidingStep(evaluate(before, other)).verdict]
    );
  });
  const names = opened.map((other) => shortestName(other, context.catalogue));
  return names.length > 5 ? [...names.slice(0, 4), `${names.length - 4} more`] : names;
}

function same(a: Change, b: Change): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
