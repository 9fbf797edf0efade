import type { ToolFacts } from "@haft/core";
import { isSpellingOnly, matchesOptions } from "../patterns/command-options.ts";
import { formatConditions } from "../patterns/condition.ts";
import { profileCovers } from "../patterns/profiles.ts";
import { canonicalSelector, isConditional, type Selector } from "../patterns/selector.ts";
import { programBaseName } from "../patterns/started-words.ts";
import { type RuleList, ruleLists, type SessionRules } from "../read/policy-config.ts";
import { formatPath, type KeyPath, type PolicyProblem, Problems } from "../read/problems.ts";
import { doubtfulArgument } from "../rules/argument-check.ts";
import type { Catalogue } from "../rules/catalogue.ts";
import type { CompiledList, Rule } from "../rules/rule.ts";
import { listMatchingTools } from "../rules/rules.ts";
import type { Scope, Scopes } from "../rules/scopes.ts";
import { indexWider, findShadowedRules } from "../rules/shadowed.ts";
import { joinWords } from "../text/sentence.ts";
import { warnOfIdleContainment } from "./containment-warnings.ts";
import { warnOfGuardOnly } from "./guard-only-warnings.ts";
import {
  findCommandLeak,
  listRuleNames,
  type Warn,
  warnOfHalfElevated,
  warnOfIdleExec,
  warnOfIdleGrants,
} from "./idle-warnings.ts";

/** Returns warnings, at most one for each rule. @param elsewhere another document may require containment */
export function collectWarnings(scopes: Scopes, catalogue: Catalogue, elsewhere = false): PolicyProblem[] {
  const problems = new Problems(scopes.document.positions, "warning");
  const warn = (path: KeyPath, message: string, nearest?: readonly string[]): void => {
    if (!problems.has(path)) problems.add(path, { message, nearest });
  };
  const { root, parts, subagents } = scopes;
  const inParts = Object.values(parts).flatMap((byKey) => [...byKey.values()]);
  const all = [root, ...inParts, ...(subagents ? [subagents] : [])];
  warnOfHalfElevated(all, warn);
  warnOfIdleContainment(all, elsewhere, warn);
  for (const scope of all) {
    const { rules, path } = scope;
    warnOfTwins(rules, path, warn);
    warnOfIdleGrants(scope.grant, path, catalogue, warn);
    warnOfBridgedGrants(scope.grant, path, catalogue, warn);
    if (rules.exec !== undefined) warnOfIdleExec([scope, root], path, catalogue, warn);
    for (const list of ruleLists.flatMap((name) => scope[name] ?? [])) {
      for (const rule of list.rules) {
        warnOfMeaning(rule, warn);
        const doubt = doubtfulArgument(rule.selector, listMatchingTools(rule, list, catalogue.tools));
        if (doubt !== undefined) warn(rule.path, doubt);
      }
      if (scope !== root) warnOfDenied(list, root.deny, catalogue, warn);
    }
    for (const list of [scope.deny, scope.ask]) {
      for (const rule of list?.rules ?? []) {
        warnOfGuardOnly(rule, list!, catalogue, warn);
        warnOfSpelling(rule, warn);
        warnOfOtherPushes(rule, [scope.deny, scope.ask], warn);
        warnOfLeak(rule, list!, [scope, root], catalogue, warn);
        warnOfExactArguments(rule, list!, warn);
      }
    }
    for (const [index, pattern] of (rules.exec?.allow ?? []).entries()) {
      const message = expressionLike(pattern);
      if (message !== undefined) warn([...path, "exec", "allow", index], message);
    }
  }
  return problems.items;
}

function warnOfTwins(rules: SessionRules, path: KeyPath, warn: Warn): void {
  const lists: [readonly string[], KeyPath, (text: string) => string][] = ruleLists.map((name: RuleList) => [
    rules[name] ?? [],
    [...path, name],
    canonicalSelector,
  ]);
  for (const key of ["allow", "safeBins", "trustedDirs"] as const)
    lists.push([rules.exec?.[key] ?? [], [...path, "exec", key], String]);
  const { network, caches = [] } = rules.exec ?? {};
  lists.push([caches, [...path, "exec", "caches"], String]);
  if (typeof network === "object")
    lists.push([network, [...path, "exec", "network"], (text) => text.toLowerCase()]);
  for (const [entries, at, canonical] of lists) {
    const seen = new Map<string, number>();
    for (const [index, entry] of entries.entries()) {
      const first = seen.get(canonical(entry));
      if (first === undefined) seen.set(canonical(entry), index);
      else warn([...at, index], `It means the same as ${formatPath([...at, first])}; remove one.`);
    }
  }
}

/** Authors rarely mean only one spelling of an unknown program's options. */
function warnOfSpelling({ selector, path }: Rule, warn: Warn): void {
  for (const one of selector.conditions ?? []) {
    if (one.kind !== "command") continue;
    const [program = "", ...rest] = one.pattern.split(" ");
    if (/[*\\]/.test(program) || isSpellingOnly(programBaseName(program), rest.join(" ")) !== true) continue;
    const message = `Options of ${program} are compared as written: other spellings or positions do not match. ${JSON.stringify(`${program} *`)} matches regardless of options.`;
    warn(path, message);
  }
}

/** Other options than `--force` also lose commits. */
function warnOfOtherPushes(
  { selector, path }: Rule,
  lists: readonly (CompiledList | undefined)[],
  warn: Warn,
): void {
  const rules = lists.flatMap((list) => list?.rules ?? []);
  const restricts = ({ conditions = [] }: Selector, option: string): boolean =>
    conditions.some(
      ({ kind, pattern }) =>
        kind === "command" &&
        (pattern === "git push*" ||
          (pattern.startsWith("git push ") &&
            matchesOptions(pattern.slice(4), "git", ["push", option, "x", "y"]))),
    );
  if (!restricts(selector, "--force")) return;
  const left = Object.entries({
    "--force-with-lease": "--force-with-lease",
    "--delete": "--delete (:branch)",
  })
    .filter(([option]) => !rules.some((rule) => restricts(rule.selector, option)))
    .map(([, shown]) => shown);
  if (left.length === 0) return;
  warn(path, `It does not match pushes with ${left.join(" or ")}. "git push *" matches every push.`);
}

/** `deny: git push` does not deny `git push origin`. */
function warnOfExactArguments({ selector, path }: Rule, { rules }: CompiledList, warn: Warn): void {
  for (const { kind, pattern } of selector.conditions ?? []) {
    if (kind !== "command" || pattern.endsWith("*") || !/[^\\] /.test(pattern)) continue;
    const wider = selector.text.replace(pattern, () => `${pattern} *`);
    if (rules.some((other) => other.selector.text === wider)) continue;
    warn(path, `It matches ${JSON.stringify(pattern)} without more arguments only.`, [wider]);
  }
}

/** `read(path:secret/**)` does not restrict other tools that read, `exec(rm *)` no other tools that run commands. */
function warnOfLeak(
  rule: Rule,
  list: CompiledList,
  scopes: readonly Scope[],
  catalogue: Catalogue,
  warn: Warn,
): void {
  const { selector } = rule;
  const { target, conditions = [] } = selector;
  const tools = toExecutingTools(catalogue.tools, catalogue);
  const named = toExecutingTools(listMatchingTools(rule, list, catalogue.tools), catalogue);
  const isHeld = (tool: ToolFacts) => scopes.some((scope) => holdsOtherwise(scope, rule, tool));
  // A listed command can read any file.
  const mayRunListed = (tool: ToolFacts) =>
    tool.effects.includes("execute") &&
    scopes.some(({ exec }) => exec?.listed === true && exec.ask !== "always" && exec.security !== "deny") &&
    !scopes.some((scope) => holdsOtherwise({ ...scope, exec: undefined }, rule, tool));
  const leak = findCommandLeak(rule, list.list, named, isHeld, tools);
  if (leak) warn(rule.path, leak.message, leak.nearest);
  if (target.kind === "effect" || !conditions.some(({ kind }) => kind === "path")) return;
  const effect = effectMeant(named);
  if (effect === undefined) return;
  const open = tools.filter(
    (tool) =>
      !named.includes(tool) &&
      (tool.effects.includes(effect) || tool.effects.includes("execute")) &&
      (!isHeld(tool) || mayRunListed(tool)),
  );
  if (open.length === 0) return;
  const better = `effect:${effect}(${formatConditions(conditions)})`;
  const names = listRuleNames(open);
  const listed = names.length > 8 ? [...names.slice(0, 7), `${names.length - 7} more`] : names;
  const message = `It only restricts ${joinWords(listRuleNames(named).slice(0, 4))}; ${joinWords(listed)} can still ${effect} there.`;
  // Instead of the rule, it would restrict fewer tools.
  const isAddition = named.some(({ effects }) => !effects.includes(effect));
  if (isAddition) warn(rule.path, `${message} Add ${JSON.stringify(better)}.`);
  else warn(rule.path, message, [better]);
}

/** Guarded agents have one tool for commands. Rules about `bash` also apply to it. */
function toExecutingTools(
  tools: readonly ToolFacts[],
  { partial, tools: all }: Catalogue,
): readonly ToolFacts[] {
  const isBuiltIn = (tool: ToolFacts, ...names: string[]) => tool.builtIn && names.includes(tool.name);
  const exec = partial ? all.find((tool) => isBuiltIn(tool, "exec")) : undefined;
  if (exec === undefined) return tools;
  return [...new Set(tools.map((tool) => (isBuiltIn(tool, "bash", "process") ? exec : tool)))];
}

function effectMeant(tools: readonly ToolFacts[]): "read" | "write" | undefined {
  const does = (effect: "read" | "write") => tools.filter(({ effects }) => effects.includes(effect));
  if (does("read").some(({ effects }) => !effects.includes("write"))) return "read";
  return does("write").length > 0 ? "write" : undefined;
}

function holdsOtherwise(
  { deny, ask, allow, profile, exec }: Scope,
  { selector }: Rule,
  tool: ToolFacts,
): boolean {
  if ([deny, ask].some((list) => list && widerIn(list, tool)(selector) !== undefined)) return true;
  if (profile && !profileCovers(profile.name, tool)) return true;
  if (allow && allow.findRules(tool).length === 0) return true;
  const gated =
    exec !== undefined &&
    (exec.security === "deny" || exec.security === "allowlist" || exec.ask === "always");
  return gated && tool.effects.includes("execute");
}

const indexed = new WeakMap<readonly Rule[], ReturnType<typeof indexWider>>();

function widerIn(list: CompiledList, tool: ToolFacts): ReturnType<typeof indexWider> {
  const rules = list.findRules(tool);
  let wider = indexed.get(rules);
  if (wider === undefined) indexed.set(rules, (wider = indexWider(rules)));
  return wider;
}

function warnOfDenied(
  list: CompiledList,
  deny: CompiledList | undefined,
  catalogue: Catalogue,
  warn: Warn,
): void {
  if (deny === undefined || list.list === "deny") return;
  for (const [rule, over] of findShadowedRules(list, deny, catalogue)) {
    const message = `All that "${rule.selector.text}" names is denied by ${formatPath(over.path)} ("${over.selector.text}"), which wins, so it has no effect.`;
    warn(rule.path, message);
  }
}

function warnOfMeaning({ selector, path }: Rule, warn: Warn): void {
  if (!isConditional(selector)) return;
  const { conditions = [] } = selector;
  const byKind = Map.groupBy(conditions, ({ kind }) => kind);
  for (const { kind, pattern } of conditions) {
    const twice = kind !== "arg" && byKind.get(kind)!.length > 1;
    if (twice) {
      const either = kind === "path" ? ", or {a,b}" : "";
      warn(path, `The same ${kind} must match both patterns; to match either, write two entries${either}.`);
    }
    const message = kind === "command" ? expressionLike(pattern) : undefined;
    if (message !== undefined) warn(path, message);
  }
}

function expressionLike(pattern: string): string | undefined {
  const found = /(?:^| )\.\*|^\^/.exec(pattern)?.[0].trim();
  if (found === undefined) return undefined;
  return found === "^"
    ? `A pattern always begins at the start; "^" is a literal character.`
    : `"." is a literal character, so ".*" only matches text that begins with a dot; use "*" alone for any characters.`;
}

const BRIDGED = "bridged";

/** Bridged tools run in the host process, even in sandboxed sessions. */
function warnOfBridgedGrants(
  list: CompiledList | undefined,
  path: KeyPath,
  catalogue: Catalogue,
  warn: Warn,
): void {
  const [part, kind] = path;
  if (part !== undefined && (part !== "sessions" || kind !== "sandboxed")) return;
  for (const rule of list?.rules ?? []) {
    const tools = listMatchingTools(rule, list!, catalogue.tools).filter(({ groups }) =>
      groups.includes(BRIDGED),
    );
    if (tools.length === 0) continue;
    const named = joinWords(tools.map(({ name }) => name).slice(0, 4));
    const message = `It lets sandboxed sessions call ${named} of another framework, which runs in the process of the host, outside the sandbox.`;
    warn(rule.path, message);
  }
}
