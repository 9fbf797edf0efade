import type { ToolFacts } from "@haft/core";
import type { MatchLimits } from "../patterns/match-call.ts";
import type { ContainmentView } from "../rules/containment.ts";
import type { CompiledList, Finding, Rule } from "../rules/rule.ts";

export function findRestrictingRules(
  list: CompiledList,
  tool: ToolFacts,
  view: ContainmentView,
  limits?: MatchLimits,
): readonly Rule[] {
  const pointing = list.findRulesWithin(limits, tool);
  // A client has one tool for commands and shells.
  if (!view.guarded || !tool.builtIn || tool.name !== "exec") return pointing;
  const shell = list.findRules(BASH).filter((rule) => !pointing.includes(rule));
  if (shell.length === 0) return pointing;
  return list.rules.filter((rule) => pointing.includes(rule) || shell.includes(rule));
}

const BASH: ToolFacts = {
  id: "commands/bash",
  name: "bash",
  pluginId: "commands",
  optional: false,
  effects: ["execute"],
  groups: ["runtime"],
  builtIn: true,
};

/** If a tool's effects or server are unknown, a rule about them is unclear instead of a hit. */
export function getHitFinding(rule: Rule, tool: ToolFacts): Finding {
  const { kind } = rule.selector.target;
  if (tool.effectsUnknown === true && kind === "effect") return rule.unclear("its effects are unknown");
  if (tool.mcp?.server === "" && kind === "mcp") return rule.unclear("its server is unknown");
  return rule.hit;
}
