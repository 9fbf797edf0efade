import type { ToolEffect, ToolFacts } from "@haft/core";
import { compileMatcher, type MatchLimits } from "../patterns/match-call.ts";
import { isConditional, selectsTool, type Selector } from "../patterns/selector.ts";
import { type Document, isSharedDocument, formatSource } from "../read/document.ts";
import type { RuleList } from "../read/policy-config.ts";
import type { KeyPath } from "../read/problems.ts";
import { truncateSentence } from "../text/sentence.ts";
import { unknownEffect } from "./administrator-denials.ts";
import { resolveWord } from "./catalogue.ts";
import type { CompileContext, CompiledList, Rule } from "./rule.ts";

/** Commands can have these effects, so restricting an effect restricts commands. */
const impliedByExecute: readonly ToolEffect[] = ["read", "write", "network"];

/** Whether the tool has or could have the effect. For restricting rules. */
function couldDo(tool: ToolFacts, effect: ToolEffect, limits: MatchLimits | undefined): boolean {
  if (tool.effects.includes(effect) || tool.effectsUnknown === true) return true;
  if (!tool.effects.includes("execute") || !impliedByExecute.includes(effect)) return false;
  // A tool with network access runs commands elsewhere.
  if (limits === undefined || tool.effects.includes("network")) return true;
  return (
    !(effect === "write" && limits.mount !== "rw") && !(effect === "network" && limits.network === "none")
  );
}

/** Write includes read, execute includes both. */
const included: Readonly<Record<ToolEffect, readonly ToolEffect[]>> = {
  read: ["read"],
  write: ["read", "write"],
  execute: ["read", "write", "execute"],
  network: ["network"],
  message: ["message"],
};

const verdicts = { grant: "allow", deny: "deny", allow: "allow", ask: "ask" } as const;
const phrases = {
  grant: "is granted by",
  deny: "is denied by",
  allow: "is allowed by",
  ask: "needs approval because of",
} as const;

export function listMatchingTools(rule: Rule, list: CompiledList, tools: readonly ToolFacts[]): ToolFacts[] {
  return tools.filter((tool) => setOf(list.findRules(tool)).has(rule));
}

const sets = new WeakMap<readonly Rule[], ReadonlySet<Rule>>();

function setOf(rules: readonly Rule[]): ReadonlySet<Rule> {
  let set = sets.get(rules);
  if (set === undefined) sets.set(rules, (set = new Set(rules)));
  return set;
}

/** Wrong entries become problems. */
export function compileList(
  list: RuleList,
  entries: readonly string[],
  scope: KeyPath,
  context: CompileContext,
): CompiledList {
  const { document, catalogue, problems, notices, readEntry, checks } = context;
  const opens = list === "allow" || list === "grant";
  const anywhere = (isSharedDocument(document) || catalogue.partial) && !opens;
  const rules: Rule[] = [];
  const path = [...scope, list];
  for (const [index, text] of entries.entries()) {
    const parsed = readEntry(text);
    if ("message" in parsed) {
      if (parsed.unknownEffect && anywhere) notices.add([...path, index], unknownEffect(parsed));
      else if (parsed.unknownEffect) problems.add([...path, index], parsed);
      continue;
    }
    const selector = resolveWord(parsed, opens, catalogue, anywhere);
    if ("message" in selector) {
      (catalogue.partial ? notices : problems).add([...path, index], selector);
      continue;
    }
    rules.push(makeRule(list, selector, index, path, document));
  }
  const points = opens
    ? opening(list, rules)
    : ({ selector }: Rule, tool: ToolFacts, limits?: MatchLimits) => holdsBack(selector, tool, limits);
  const concerned = new WeakMap<ToolFacts, Rule[]>(catalogue.tools.map((tool) => [tool, []]));
  for (const rule of rules) {
    const matching = catalogue.tools.filter((tool) => points(rule, tool));
    for (const tool of matching) concerned.get(tool)!.push(rule);
    checks?.rule(rule, matching, list, anywhere, context);
  }
  const concerning = (tool: ToolFacts): readonly Rule[] => {
    let found = concerned.get(tool);
    if (!found) concerned.set(tool, (found = rules.filter((rule) => points(rule, tool))));
    return found;
  };
  return {
    list,
    owner: document.owner,
    path,
    source: formatSource(document, path),
    rules,
    findRules: concerning,
    findRulesWithin(limits, tool) {
      const found = concerning(tool);
      return limits === undefined ? found : found.filter((rule) => points(rule, tool, limits));
    },
  };
}

/** Limits the quoted entry in a reason, in characters. The trace contains all of it. */
const MAX_SHOWN = 60;

function makeRule(
  list: RuleList,
  selector: Selector,
  index: number,
  path: KeyPath,
  document: Document,
): Rule {
  const source = formatSource(document, [...path, index]);
  const shown = `${source} = "${truncateSentence(selector.text, MAX_SHOWN)}"`;
  const base = {
    layer: list,
    rule: `${list} "${selector.text}"`,
    source,
    because: `${phrases[list]} ${shown}`,
  };
  const holds = list === "deny" || list === "ask";
  const removal = { op: "remove", owner: document.owner, list: path, index, entry: selector.text } as const;
  const remedies = holds ? { remedies: [removal] } : {};
  return {
    selector,
    path: [...path, index],
    ...(isConditional(selector) ? { matcher: compileMatcher(selector, !holds) } : {}),
    pass: { ...base, verdict: "pass" },
    hit: { ...base, verdict: verdicts[list], ...remedies },
    unclear: (why) => ({
      ...base,
      verdict: "ask",
      toSome: list === "deny" ? "deny" : "ask",
      rule: `${base.rule} may apply: ${why}`,
      because: `needs approval because ${why}, so ${shown} may apply`,
      ...remedies,
    }),
  };
}

function holdsBack({ target }: Selector, tool: ToolFacts, limits: MatchLimits | undefined): boolean {
  return target.kind === "effect" ? couldDo(tool, target.effect, limits) : selectsTool(target, tool);
}

/**
 * The list must cover all effects of the tool: `effect:read` does not allow a tool that also sends messages. Plugins declare their own
 * groups and effects, so these never grant a plugin's tool.
 */
function opening(list: RuleList, rules: readonly Rule[]): (rule: Rule, tool: ToolFacts) => boolean {
  const covered = new Set<ToolEffect>();
  for (const { selector } of rules) {
    if (selector.target.kind === "effect" && !isConditional(selector))
      for (const effect of included[selector.target.effect]) covered.add(effect);
  }
  return ({ selector: { target } }, tool) => {
    if (list === "grant" && !tool.builtIn && (target.kind === "group" || target.kind === "effect"))
      return false;
    if (target.kind === "mcp" && tool.mcp?.server === "") return false;
    if (target.kind !== "effect") return selectsTool(target, tool);
    if (!tool.effects.includes(target.effect)) return false;
    return tool.effects.every((effect) => covered.has(effect) || included[target.effect].includes(effect));
  };
}
