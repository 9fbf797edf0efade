import type { ToolFacts } from "@haft/core";
import { nearestNames } from "@haft/utils";
import { clientTools, findHaftName, selectsClientTool } from "../patterns/client-tools.ts";
import { type Condition, formatConditions } from "../patterns/condition.ts";
import { canHaveSubject, isInputOnly } from "../patterns/match-call.ts";
import type { PatternProblem } from "../patterns/pattern-problem.ts";
import type { Selector } from "../patterns/selector.ts";
import { isSharedDocument } from "../read/document.ts";
import type { RuleList } from "../read/policy-config.ts";
import { joinWords } from "../text/sentence.ts";
import {
  isKnownAnywhere,
  KNOWN_GROUPS,
  restsOnBuiltIns,
  SERVER_GROUPS,
  unknownDenial,
} from "./administrator-denials.ts";
import { argumentProblem } from "./argument-check.ts";
import type { Catalogue } from "./catalogue.ts";
import { isMistake } from "./mistaken-entry.ts";
import type { CompileContext, Rule } from "./rule.ts";
import { hasRow } from "./session-table.ts";

/** @param matching its tools @param anywhere hosts may have others */
export function checkRule(
  rule: Rule,
  matching: readonly ToolFacts[],
  list: RuleList,
  anywhere: boolean,
  { document, catalogue, problems, notices }: CompileContext,
): void {
  const { selector } = rule;
  const isWrongEverywhere = isSharedDocument(document)
    ? restsOnBuiltIns(selector, matching)
    : isMistake(selector, matching, catalogue);
  const isNotice = (anywhere || catalogue.partial) && !isWrongEverywhere;
  const problem = problemWith(rule, matching, list, catalogue, anywhere && isNotice);
  if (problem) (isNotice ? notices : problems).add(rule.path, problem);
}

function problemWith(
  rule: Rule,
  matching: readonly ToolFacts[],
  list: RuleList,
  catalogue: Catalogue,
  anywhere: boolean,
): PatternProblem | undefined {
  const { selector } = rule;
  if (matching.length > 0) return neverThere(selector, matching);
  if (selectsClientTool(selector)) return undefined;
  if (list === "allow" || list === "grant")
    return selector.target.kind === "all" ? undefined : unmatched(selector, list, catalogue);
  if (meansSomething(rule)) return undefined;
  if (!anywhere) return unmatched(selector, list, catalogue);
  return isKnownAnywhere(selector)
    ? undefined
    : withNearest(unknownDenial(selector, list), selector, catalogue);
}

/** `*` is always meaningful, as is a built-in tool that the host does not have yet. */
function meansSomething({ selector: { target } }: Rule): boolean {
  if (target.kind === "group") return SERVER_GROUPS.has(target.group);
  return target.kind === "all" || (target.kind === "name" && hasRow(target.name));
}

function unmatched(selector: Selector, list: string, catalogue: Catalogue): PatternProblem {
  const { text, target, action, conditions } = selector;
  if (list === "grant" && (target.kind === "group" || target.kind === "effect")) {
    const message = `"${text}" grants nothing: groups and effects grant built-in tools only, plugin tools are granted by name.`;
    return { message, nearest: [] };
  }
  const single =
    target.kind === "word" || target.kind === "plugin" || target.kind === "id" || target.kind === "name";
  const name = action === undefined && conditions === undefined ? text : text.split(/[:(]/, 1)[0]!;
  const message = single
    ? `There is no tool or plugin "${name}" here.`
    : `"${text}" matches no tool of this host, so the rule has no effect.`;
  return withNearest(message, selector, catalogue);
}

/** Computes suggestions on demand, because only the first problems show them. */
function withNearest(message: string, selector: Selector, catalogue: Catalogue): PatternProblem {
  return {
    message,
    get nearest() {
      return nearestSelectors(selector, catalogue);
    },
  };
}

const verbs = {
  command: "runs commands",
  path: "acts on files",
  host: "connects to hosts",
  node: "acts on a node",
} as const;

function neverThere(selector: Selector, tools: readonly ToolFacts[]): PatternProblem | undefined {
  const { text, action, conditions = [] } = selector;
  const problem = action === undefined ? undefined : unknownAction(text, action, tools);
  if (problem) return problem;
  for (const condition of conditions) {
    if (
      isBare(text, condition) &&
      tools.some((tool) => !canHaveSubject(tool, "command")) &&
      tools.some((tool) => canHaveSubject(tool, "command"))
    ) {
      const message = `Not all tools of ${JSON.stringify(text.split("(", 1)[0])} run commands, so write the kind of the pattern: command:, path:, host: or arg:.`;
      const nearest = otherKinds(text, condition, tools);
      return { message, nearest: [text.replace("(", "(command:"), ...nearest] };
    }
    if (condition.kind === "arg") continue;
    const able = tools.filter((tool) => canHaveSubject(tool, condition.kind));
    if (able.length > 0 && able.every((tool) => isInputOnly(tool) || !hasAction(tool, action))) {
      const message = `No call of ${JSON.stringify(text)} has its own ${condition.kind}; use rules for exec to restrict input for commands.`;
      return { message, nearest: [`exec(${formatConditions(conditions)})`] };
    }
    if (able.length > 0) continue;
    const names = tools.length > 3 ? `these ${tools.length} tools` : joinWords(tools.map(({ name }) => name));
    const message = `No call of ${names} ${verbs[condition.kind]}, so "${text}" has no effect.`;
    return { message, nearest: otherKinds(text, condition, tools) };
  }
  return argumentProblem(selector, tools);
}

function unknownAction(
  text: string,
  action: string,
  tools: readonly ToolFacts[],
): PatternProblem | undefined {
  const known = [...new Set(tools.flatMap(({ actions = [] }) => actions))];
  if (known.includes(action)) return undefined;
  const spelled = (meant: string) => text.replace(`:${action}`, meant);
  const named = tools.some(({ name }) => name === action) ? [spelled(`/${action}`)] : [];
  const nearest = [...named, ...nearestNames(action, known).map((near) => spelled(`:${near}`))];
  if (nearest.length === 0 && tools.some(mayHaveActions)) return undefined;
  const names = tools.length > 3 ? `these ${tools.length} tools` : joinWords(tools.map(({ name }) => name));
  const there = known.length > 0 ? `; there are ${joinWords(known)}` : ", which have none";
  return { message: `"${action}" is not an action of ${names}${there}.`, nearest };
}

function hasAction(tool: ToolFacts, action: string | undefined): boolean {
  return action === undefined || mayHaveActions(tool) || (tool.actions?.includes(action) ?? false);
}

function mayHaveActions({ actions, parameters }: ToolFacts): boolean {
  if (actions !== undefined) return false;
  return parameters === undefined || parameters.some(({ name }) => name === "action" || name === "*");
}

/** `read(src/**)` parses as a command pattern. */
function otherKinds(text: string, condition: Condition, tools: readonly ToolFacts[]): string[] {
  if (!isBare(text, condition)) return [];
  const head = text.split("(", 1)[0]!;
  const fitting = (["path", "host"] as const).filter((other) =>
    tools.some((tool) => canHaveSubject(tool, other)),
  );
  return fitting.map((other) => `${head}(${other}:${condition.pattern})`);
}

function isBare(text: string, { kind, pattern }: Condition): boolean {
  return kind === "command" && !text.includes(`command:${pattern}`);
}

function nearestSelectors(
  { text, target, action, conditions = [] }: Selector,
  { tools }: Catalogue,
): string[] {
  const words = new Set(tools.flatMap((tool) => [tool.name, tool.id, tool.pluginId]));
  const groups = new Set(["plugins", ...KNOWN_GROUPS, ...tools.flatMap((tool) => tool.groups)]);
  const effects = new Set(tools.flatMap((tool) => tool.effects));
  const head = text.split("(", 1)[0]!;
  const bare = wordOf(target) ?? head.split(":", 1)[0]!;
  const grouped = wordOf(target) !== undefined;
  const rest = `${action === undefined ? "" : `:${action}`}${text.slice(head.length)}`;
  // A pattern without a kind is a command, and many tools run none.
  const restFor = (members: readonly ToolFacts[]): string => {
    const isPath =
      conditions.some((condition) => isBare(text, condition)) &&
      !members.some((tool) => canHaveSubject(tool, "command")) &&
      members.some((tool) => canHaveSubject(tool, "path"));
    return isPath ? rest.replace("(", "(path:") : rest;
  };
  const withGroups = (word: string) => [
    ...nearestNames(word, groups).map(
      (group) => `group:${group}${restFor(tools.filter((tool) => tool.groups.includes(group)))}`,
    ),
    ...nearestNames(word, effects).map((effect) => `effect:${effect}${rest}`),
  ];
  const others = (word: string) => [
    ...nearestNames(word, groups).map((group) => `group:${group}`),
    ...nearestNames(word, effects).map((effect) => `effect:${effect}`),
  ];
  // `efect:write` parses as a tool with an action.
  const misspelled = action !== undefined && nearestNames(bare, ["group", "effect"]).length > 0;
  const meant = findHaftName(bare);
  const near = [
    ...(grouped || meant === undefined
      ? []
      : [`${meant}${restFor(tools.filter(({ name }) => name === meant))}`]),
    ...(misspelled ? others(action) : []),
    ...(head.includes(":") && action === undefined ? others(bare) : []),
    ...(grouped
      ? [bare].filter((word) => words.has(word))
      : nearestNames(bare, [...words, ...clientTools])
    ).map((word) => `${word}${restFor(tools.filter(({ name }) => name === word))}`),
    ...withGroups(bare),
  ];
  return [...new Set(near)].filter((candidate) => candidate !== text).slice(0, 3);
}

function wordOf(target: Selector["target"]): string | undefined {
  if (target.kind === "group") return target.group;
  if (target.kind === "plugins") return "plugins";
  return target.kind === "effect" ? target.effect : undefined;
}
