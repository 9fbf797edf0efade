import type { ToolEffect, ToolFacts, TraceStep } from "@haft/core";
import { type Catalogue, resolveWord, unmatched } from "./catalogue.ts";
import type { Change } from "./change.ts";
import type { RuleList } from "./policy-config.ts";
import { formatPath, type KeyPath, type PolicyProblem } from "./problems.ts";
import type { ProfileName } from "./profiles.ts";
import { parseSelector, pointsAt, type Selector } from "./selector.ts";
import { hasRow } from "./session-table.ts";

/** One thing the evaluator looked at: a trace step, with what is needed to say and to fix it. */
export interface Finding extends TraceStep {
  /** Completes the sentence "`tool` …". */
  readonly because: string;
  /** What would undo it, when it stands in the way and a policy can. */
  readonly remedy?: Remedy;
}

/** A change of the policy that is complete once the tool is known. */
export type Remedy =
  | Extract<Change, { op: "remove" }>
  /** Name the tool in this list. */
  | { op: "name"; scope: KeyPath; list: RuleList }
  /** Choose a profile that covers the tool as well. */
  | { op: "widen"; scope: KeyPath; profile: ProfileName };

/** A list of rules, ready to be asked about any tool. */
export interface CompiledList {
  readonly rules: readonly Rule[];
  matches(rule: Rule, tool: ToolFacts): boolean;
}

/** One entry of a list, with both answers prepared. */
interface Rule {
  readonly selector: Selector;
  /** Key path in the configuration. */
  readonly path: string;
  readonly hit: Finding;
  readonly pass: Finding;
}

/**
 * A command can do to files and to the network whatever it likes, so holding these back holds
 * commands back too. A sandbox that makes its mount read-only or cuts the network will be able to
 * say that this is not so there.
 */
const impliedByExecute: readonly ToolEffect[] = ["read", "write", "network"];

/** Does the tool do this, or could it? For rules that hold back. */
function couldDo(tool: ToolFacts, effect: ToolEffect): boolean {
  if (tool.effects.includes(effect)) return true;
  return tool.effects.includes("execute") && impliedByExecute.includes(effect);
}

/** What comes with being let do something: who may write may read, who may run commands may do both. */
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

/** Compiles one list of a scope; entries that are wrong or match nothing become problems. */
export function compileList(
  list: RuleList,
  entries: readonly string[],
  scope: KeyPath,
  source: string,
  catalogue: Catalogue,
  problems: PolicyProblem[],
): CompiledList {
  const opens = list === "allow" || list === "grant";
  const rules: Rule[] = [];
  for (const [index, text] of entries.entries()) {
    const parsed = parseSelector(text);
    if ("message" in parsed) continue; // reported when the configuration was read
    const path = formatPath([...scope, list, index]);
    const selector = resolveWord(parsed, opens, catalogue);
    if ("message" in selector) problems.push({ path, message: selector.message });
    else rules.push(makeRule(list, selector, index, scope, source));
  }
  const matches = opens
    ? opening(list, rules)
    : (rule: Rule, tool: ToolFacts) => holdsBack(rule.selector, tool);
  for (const rule of rules) {
    if (catalogue.tools.some((tool) => matches(rule, tool)) || meansSomething(rule, opens)) continue;
    problems.push({ path: rule.path, ...unmatched(rule.selector, list, catalogue) });
  }
  return { rules, matches };
}

/**
 * `*` always does, and so does holding back a built-in tool before the host has it: the tool would
 * otherwise be free on the day it comes.
 */
function meansSomething({ selector: { target } }: Rule, opens: boolean): boolean {
  return target.kind === "all" || (!opens && target.kind === "name" && hasRow(target.name));
}

function makeRule(list: RuleList, selector: Selector, index: number, scope: KeyPath, source: string): Rule {
  const path = formatPath([...scope, list, index]);
  const place = `${source}: ${path}`;
  const rule = `${list} "${selector.text}"`;
  const base = {
    layer: list,
    rule,
    source: place,
    because: `${phrases[list]} ${place} = "${selector.text}"`,
  };
  const holds = list === "deny" || list === "ask";
  return {
    selector,
    path,
    pass: { ...base, verdict: "pass" },
    hit: {
      ...base,
      verdict: verdicts[list],
      ...(holds ? { remedy: { op: "remove", scope, list, index, selector: selector.text } as const } : {}),
    },
  };
}

function holdsBack({ target }: Selector, tool: ToolFacts): boolean {
  return target.kind === "effect" ? couldDo(tool, target.effect) : pointsAt(target, tool);
}

/**
 * Letting effects through lets a tool through only when the list covers everything the tool does:
 * `effect:read` does not admit a tool that also sends messages. And since a plugin chooses its own
 * groups and effects, those never grant a plugin's tool.
 */
function opening(list: RuleList, rules: readonly Rule[]): (rule: Rule, tool: ToolFacts) => boolean {
  const covered = new Set<ToolEffect>();
  for (const { selector } of rules) {
    if (selector.target.kind === "effect")
      for (const effect of included[selector.target.effect]) covered.add(effect);
  }
  return ({ selector: { target } }, tool) => {
    if (list === "grant" && !tool.builtIn && (target.kind === "group" || target.kind === "effect"))
      return false;
    if (target.kind !== "effect") return pointsAt(target, tool);
    return tool.effects.includes(target.effect) && tool.effects.every((effect) => covered.has(effect));
  };
}
