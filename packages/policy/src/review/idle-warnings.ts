import type { SessionKind, ToolFacts } from "@haft/core";
import { formatConditions } from "../patterns/condition.ts";
import { isInputOnly } from "../patterns/match-call.ts";
import type { PatternProblem } from "../patterns/pattern-problem.ts";
import { type RuleList, sessionKinds } from "../read/policy-config.ts";
import { formatPath, type KeyPath } from "../read/problems.ts";
import type { Catalogue } from "../rules/catalogue.ts";
import type { CompiledList, Rule } from "../rules/rule.ts";
import { listMatchingTools } from "../rules/rules.ts";
import type { Scope } from "../rules/scopes.ts";
import { tableCell } from "../rules/session-table.ts";
import { concernsTool } from "../rules/shadowed.ts";
import { joinWords } from "../text/sentence.ts";

export type Warn = (path: KeyPath, message: string, nearest?: readonly string[]) => void;

/** A grant only lifts denials of the session table. */
export function warnOfIdleGrants(
  list: CompiledList | undefined,
  path: KeyPath,
  catalogue: Catalogue,
  warn: Warn,
): void {
  const kinds = path[0] === "sessions" ? [path[1] as SessionKind] : sessionKinds;
  for (const rule of list?.rules ?? []) {
    const tools = listMatchingTools(rule, list!, catalogue.tools);
    const verdicts = tools.flatMap((tool) => kinds.map((kind) => tableCell(tool, kind)?.verdict));
    if (tools.length === 0 || tools.some(({ optional }) => optional) || verdicts.includes("grant")) continue;
    const where = kinds.length === 1 ? `${kinds[0]} sessions` : "any session";
    const remaining = verdicts.includes("ask") ? "; approvals that the session table requires remain" : "";
    warn(
      rule.path,
      `No tool that it names is denied unless granted in ${where}, so it has no effect${remaining}.`,
    );
  }
}

export function warnOfIdleExec(
  scopes: readonly Scope[],
  path: KeyPath,
  { tools }: Catalogue,
  warn: Warn,
): void {
  const denials = new Map<ToolFacts, Rule>();
  const runners = tools.filter(runsCommands);
  for (const tool of runners) {
    const rules = scopes.flatMap(({ deny }) => deny?.findRules(tool) ?? []);
    const over = rules.find(({ matcher, selector }) => matcher === undefined && concernsTool(selector, tool));
    if (over) denials.set(tool, over);
  }
  const exec = runners.find(({ builtIn, name }) => builtIn && name === "exec");
  const over = exec && denials.get(exec);
  if (over === undefined) return;
  const left = runners.filter((tool) => !denials.has(tool)).map(({ name }) => name);
  const rest = left.length === 0 ? "this has no effect" : `this only applies to ${joinWords(left)}`;
  warn([...path, "exec"], `${formatPath(over.path)} ("${over.selector.text}") denies exec, so ${rest}.`);
}

/** Different scopes may provide mode and senders. */
export function warnOfHalfElevated(scopes: readonly Scope[], warn: Warn): void {
  const all = scopes.flatMap(({ rules: { exec }, path }) =>
    exec?.elevated ? [{ ...exec.elevated, path }] : [],
  );
  for (const { mode, senders, path } of all) {
    if (mode === "off") continue;
    const position = [...path, "exec", "elevated"];
    if (mode === undefined && all.every((each) => (each.mode ?? "off") === "off"))
      warn(position, 'No scope has a mode for elevated calls, so no call is elevated; add `mode: "ask"`.');
    else if (senders === undefined && all.every((each) => each.senders === undefined))
      warn(position, "No scope has senders for elevated calls, so no call is elevated; add `senders`.");
  }
}

/** `exec(rm *)` does not restrict other tools that run commands. */
export function findCommandLeak(
  { selector: { target, action, conditions = [] } }: Rule,
  list: RuleList,
  named: readonly ToolFacts[],
  isHeld: (tool: ToolFacts) => boolean,
  tools: readonly ToolFacts[],
): PatternProblem | undefined {
  if (target.kind === "effect" || action !== undefined) return undefined;
  const isWhole = conditions.length === 0;
  const deniesExec = list === "deny" && named.some(({ builtIn, name }) => builtIn && name === "exec");
  if (isWhole && (target.kind === "group" || !deniesExec)) return undefined;
  if (conditions.some(({ kind }) => kind !== "command")) return undefined;
  const open = tools.filter((tool) => runsCommands(tool) && !named.includes(tool) && !isHeld(tool));
  if (open.length === 0) return undefined;
  const held = joinWords(listRuleNames(named).slice(0, 4));
  const others = joinWords(listRuleNames(open).slice(0, 8));
  if (isWhole)
    return { message: `It denies ${held}; ${others} can still run commands.`, nearest: ["effect:execute"] };
  return {
    message: `It only restricts ${held}; ${others} can still run it.`,
    nearest: [`effect:execute(${formatConditions(conditions)})`],
  };
}

export function listRuleNames(tools: readonly ToolFacts[]): string[] {
  return [...new Set(tools.map(({ name }) => name))];
}

function runsCommands(tool: ToolFacts): boolean {
  return tool.effects.includes("execute") && !isInputOnly(tool);
}
