import type { ToolFacts } from "@haft/core";
import { type Condition, formatConditions } from "../patterns/condition.ts";
import type { Selector } from "../patterns/selector.ts";
import { isSharedDocument } from "../read/document.ts";
import { formatPath } from "../read/problems.ts";
import { restsOnBuiltIns } from "./administrator-denials.ts";
import type { Catalogue } from "./catalogue.ts";
import type { CompileContext, CompiledList, Rule, ScopeLists } from "./rule.ts";
import { listMatchingTools } from "./rules.ts";

export function checkShadowed(
  lists: ScopeLists,
  { document, catalogue, problems, notices }: CompileContext,
): void {
  if (lists.deny === undefined) return;
  for (const list of [lists.grant, lists.allow, lists.ask]) {
    for (const [rule, deny] of list ? findShadowedRules(list, lists.deny, catalogue) : []) {
      if (problems.has(rule.path)) continue;
      const message = `All that "${rule.selector.text}" names is denied by ${formatPath(deny.path)} ("${deny.selector.text}"); deny wins, so remove or narrow one.`;
      const tools = listMatchingTools(rule, list!, catalogue.tools);
      const anywhere = isSharedDocument(document) && list === lists.ask;
      const isNotice = anywhere && !restsOnBuiltIns(rule.selector, tools);
      (isNotice || catalogue.partial ? notices : problems).add(rule.path, { message });
    }
  }
}

export function findShadowedRules(
  list: CompiledList,
  deny: CompiledList,
  { tools }: Catalogue,
): Map<Rule, Rule> {
  const shadowed = new Map<Rule, Rule>();
  const left = new Set<Rule>();
  for (const tool of tools) {
    const wider = indexWider(deny.findRules(tool).filter(({ selector }) => concernsTool(selector, tool)));
    for (const rule of list.findRules(tool)) {
      const over = wider(rule.selector);
      if (over) shadowed.set(rule, shadowed.get(rule) ?? over);
      else left.add(rule);
    }
  }
  for (const rule of left) shadowed.delete(rule);
  return shadowed;
}

/** Denying an effect may leave commands allowed in a sandbox. */
export function concernsTool({ target }: Selector, tool: ToolFacts): boolean {
  return target.kind !== "effect" || tool.effects.includes(target.effect);
}

/** Returns the first rule that covers a selector, in constant time. */
export function indexWider(rules: readonly Rule[]): (selector: Selector) => Rule | undefined {
  const first = new Map<string, { rule: Rule; index: number }>();
  for (const [index, rule] of rules.entries()) {
    const { action, conditions } = rule.selector;
    const key = keyOf(action, conditions && textOf(conditions));
    if (!first.has(key)) first.set(key, { rule, index });
  }
  return (selector) => {
    const { action, conditions } = selector;
    const texts = conditions === undefined ? [undefined] : [undefined, textOf(conditions)];
    const actions = action === undefined ? [undefined] : [undefined, action];
    let found: { rule: Rule; index: number } | undefined;
    for (const each of actions)
      for (const text of texts) {
        const other = first.get(keyOf(each, text));
        if (other !== undefined && (found === undefined || other.index < found.index)) found = other;
      }
    return found?.rule;
  };
}

function keyOf(action: string | undefined, conditions: string | undefined): string {
  return `${action === undefined ? "" : `:${action}`}${conditions === undefined ? "" : `(${conditions})`}`;
}

const texts = new WeakMap<readonly Condition[], string>();

function textOf(conditions: readonly Condition[]): string {
  let text = texts.get(conditions);
  if (text === undefined) texts.set(conditions, (text = formatConditions(conditions)));
  return text;
}
