import type { ToolFacts } from "@haft/core";
import { formatConditions } from "../patterns/condition.ts";
import type { Selector } from "../patterns/selector.ts";
import { isForManyHosts } from "../read/document.ts";
import { formatPath } from "../read/problems.ts";
import { restsOnBuiltIns } from "./administrator-denials.ts";
import type { Catalogue } from "./catalogue.ts";
import type { CompileContext, CompiledList, Rule } from "./rule.ts";
import { toolsOf } from "./rules.ts";

/** The lists of one scope, compiled. */
export interface ScopeLists {
  readonly grant: CompiledList | undefined;
  readonly deny: CompiledList | undefined;
  readonly ask: CompiledList | undefined;
  readonly allow: CompiledList | undefined;
}

/** Entries that could never matter, since the same scope denies all that they name, are contradictions. */
export function checkShadowed(
  lists: ScopeLists,
  { document, catalogue, problems, notices }: CompileContext,
): void {
  if (lists.deny === undefined) return;
  for (const list of [lists.grant, lists.allow, lists.ask]) {
    for (const [rule, deny] of list ? shadowedBy(list, lists.deny, catalogue) : []) {
      // The very same entry is a problem that was told before.
      if (problems.has(rule.path)) continue;
      const message = `All that "${rule.selector.text}" names is denied by ${formatPath(deny.path)} ("${deny.selector.text}"); deny wins, so remove or narrow one.`;
      const tools = toolsOf(rule, list!, catalogue.tools);
      const anywhere = isForManyHosts(document) && list === lists.ask;
      const isNotice = anywhere && !restsOnBuiltIns(rule.selector, tools);
      (isNotice || catalogue.partial ? notices : problems).add(rule.path, { message });
    }
  }
}

/** The rules of a list of which nothing is left, with a denial that sees to it. */
export function shadowedBy(list: CompiledList, deny: CompiledList, { tools }: Catalogue): Map<Rule, Rule> {
  const shadowed = new Map<Rule, Rule>();
  const left = new Set<Rule>();
  for (const tool of tools) {
    for (const rule of list.concerning(tool)) {
      const { selector } = rule;
      const over = deny
        .concerning(tool)
        .find((other) => isAbout(other.selector, tool) && isWider(other.selector, selector));
      if (over) shadowed.set(rule, shadowed.get(rule) ?? over);
      else left.add(rule);
    }
  }
  for (const rule of left) shadowed.delete(rule);
  return shadowed;
}

/** What commands could do is not denied in every sandbox. */
export function isAbout({ target }: Selector, tool: ToolFacts): boolean {
  return target.kind !== "effect" || tool.effects.includes(target.effect);
}

/** Is the one about every call of a tool that the other is about? */
export function isWider(one: Selector, other: Selector): boolean {
  if (one.action !== undefined && one.action !== other.action) return false;
  return one.conditions === undefined || sameConditions(one, other);
}

function sameConditions({ conditions: one }: Selector, { conditions: other }: Selector): boolean {
  return one !== undefined && other !== undefined && formatConditions(one) === formatConditions(other);
}
