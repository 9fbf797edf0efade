import type { ToolFacts } from "@haft/core";
import { nearestNames } from "@haft/core/internal";
import { clientTools, isClientTool } from "../patterns/client-tools.ts";
import { type Condition, formatConditions } from "../patterns/condition.ts";
import { canHave, typesOnly } from "../patterns/match-call.ts";
import type { PatternProblem } from "../patterns/pattern-problem.ts";
import type { Selector } from "../patterns/selector.ts";
import { joinWords } from "../text/join-words.ts";
import { KNOWN_GROUPS } from "./administrator-denials.ts";
import { argumentProblem } from "./argument-check.ts";
import { hasRow } from "./session-table.ts";

/** The tools a host knows, and what a policy may call them. */
export interface Catalogue {
  readonly tools: readonly ToolFacts[];
  /** Hosts of the same policy have others: what names none of these is told, and no problem. */
  readonly partial: boolean;
  named(name: string): readonly ToolFacts[];
  ofPlugin(pluginId: string): readonly ToolFacts[];
  /** By short name or `plugin/name`; a built-in tool comes before a plugin's of the same name. */
  find(nameOrId: string): ToolFacts | undefined;
  /** Short names of tools that were probably meant. */
  nearestTools(name: string): string[];
  /** Selectors that were probably meant. */
  nearestSelectors(selector: Selector): string[];
}

export function createCatalogue(tools: readonly ToolFacts[], partial = false): Catalogue {
  const byName = Map.groupBy(tools, ({ name }) => name);
  const byPlugin = Map.groupBy(tools, ({ pluginId }) => pluginId);
  const words = new Set(tools.flatMap((tool) => [tool.name, tool.id, tool.pluginId]));
  const groups = new Set(["plugins", ...KNOWN_GROUPS, ...tools.flatMap((tool) => tool.groups)]);
  const effects = new Set(tools.flatMap((tool) => tool.effects));
  return {
    tools,
    partial,
    named: (name) => byName.get(name) ?? [],
    ofPlugin: (pluginId) => byPlugin.get(pluginId) ?? [],
    find: (nameOrId) =>
      tools.find(({ name, builtIn }) => builtIn && name === nameOrId) ??
      tools.find(({ name, id }) => name === nameOrId || id === nameOrId),
    nearestTools: (name) => nearestNames(name, byName.keys()),
    nearestSelectors({ text, target, action }) {
      const head = text.split("(", 1)[0]!;
      const bare = wordOf(target) ?? head.split(":", 1)[0]!;
      // Who writes a group means no tool whose name is a little like it.
      const grouped = wordOf(target) !== undefined;
      const rest = `${action === undefined ? "" : `:${action}`}${text.slice(head.length)}`;
      const others = (word: string) => [
        ...nearestNames(word, groups).map((group) => `group:${group}`),
        ...nearestNames(word, effects).map((effect) => `effect:${effect}`),
      ];
      // `efect:write` reads like a tool with an action.
      const misspelled = action !== undefined && nearestNames(bare, ["group", "effect"]).length > 0;
      const near = [
        ...(misspelled ? others(action) : []),
        ...(head.includes(":") && action === undefined ? others(bare) : []),
        ...(grouped
          ? [bare].filter((word) => words.has(word))
          : nearestNames(bare, [...words, ...clientTools])
        ).map((word) => `${word}${rest}`),
        ...others(bare).map((word) => `${word}${rest}`),
      ];
      return [...new Set(near)].filter((candidate) => candidate !== text).slice(0, 3);
    },
  };
}

/** The word behind `group:` or `effect:`. */
function wordOf(target: Selector["target"]): string | undefined {
  if (target.kind === "group") return target.group;
  if (target.kind === "plugins") return "plugins";
  return target.kind === "effect" ? target.effect : undefined;
}

/**
 * Decides what a plain word means here: a tool, else a plugin. Lists that let something through
 * (`allow`, `grant`) are bound to one tool's id, and the names of built-in tools to those tools, so
 * that a plugin which claims a name is not let through with it. Lists that hold back cover every
 * tool of the name, and built-in tools even before the host has them.
 *
 * Answers a message when it could mean several things.
 *
 * @param anywhere the rule is for hosts that have other tools, too: what is not known here, or is a tool and a plugin,
 *   stays a word, which holds back both
 */
export function resolveWord(
  selector: Selector,
  opens: boolean,
  catalogue: Catalogue,
  anywhere = false,
): Selector | { message: string } {
  if (selector.target.kind !== "word") return selector;
  const { word } = selector.target;
  const named = catalogue.named(word);
  const ofPlugin = catalogue.ofPlugin(word);
  const ids = named.map(({ id }) => `"${id}"`).join(" or ");
  if (named.length > 0 && ofPlugin.some((tool) => !named.includes(tool))) {
    if (anywhere && !opens) return selector;
    return { message: `"${word}" is a tool and a plugin; write ${ids} or "${word}/*".` };
  }
  const isTool = named.length > 0 || (hasRow(word) && ofPlugin.length === 0);
  if (!isTool && ofPlugin.length === 0 && isClientTool(word))
    return { ...selector, target: { kind: "name", name: word } };
  if (!isTool && anywhere && !opens) return selector;
  if (!isTool) return { ...selector, target: { kind: "plugin", pluginId: word } };
  if (!opens) return { ...selector, target: { kind: "name", name: word } };
  const owners = hasRow(word) ? named.filter(({ builtIn }) => builtIn) : named;
  if (owners.length > 1) return { message: `"${word}" is the name of several tools; write ${ids}.` };
  if (owners.length === 1) return { ...selector, target: { kind: "id", id: owners[0]!.id } };
  const instead = named.length > 0 ? `; write ${ids} for the other tool of that name` : "";
  return { message: `"${word}" is a built-in tool that this host does not have${instead}.` };
}

/** Why a selector that matches nothing does so. */
export function unmatched(selector: Selector, list: string, catalogue: Catalogue): PatternProblem {
  const { text, target, action, conditions } = selector;
  if (list === "grant" && (target.kind === "group" || target.kind === "effect")) {
    const message = `"${text}" grants nothing: groups and effects grant built-in tools only, plugin tools are granted by name.`;
    return { message, nearest: [] };
  }
  const single = target.kind === "plugin" || target.kind === "id" || target.kind === "name";
  const name = action === undefined && conditions === undefined ? text : text.split(/[:(]/, 1)[0]!;
  const message = single
    ? `There is no tool or plugin "${name}" here.`
    : `"${text}" matches no tool of this host, so the rule would mean nothing.`;
  return { message, nearest: catalogue.nearestSelectors(selector) };
}

const verbs = {
  command: "runs commands",
  path: "acts on files",
  host: "connects to hosts",
  node: "acts on a node",
} as const;

/**
 * Why no call of these tools can meet an action or a condition, going by what they say of themselves. What they do
 * not say is not guessed.
 */
export function neverThere(selector: Selector, tools: readonly ToolFacts[]): PatternProblem | undefined {
  const { text, action, conditions = [] } = selector;
  const problem = action === undefined ? undefined : unknownAction(text, action, tools);
  if (problem) return problem;
  for (const condition of conditions) {
    if (
      isBare(text, condition) &&
      tools.some((tool) => !canHave(tool, "command")) &&
      tools.some((tool) => canHave(tool, "command"))
    ) {
      const message = `Not all that ${JSON.stringify(text.split("(", 1)[0])} names runs commands, so write what the pattern is for: command:, path:, host: or arg:.`;
      const nearest = otherKinds(text, condition, tools);
      return { message, nearest: [text.replace("(", "(command:"), ...nearest] };
    }
    if (condition.kind === "arg") continue;
    const able = tools.filter((tool) => canHave(tool, condition.kind));
    if (able.length > 0 && able.every((tool) => typesOnly(tool) || !hasAction(tool, action))) {
      const message = `No call that ${JSON.stringify(text)} names has a ${condition.kind} of its own; what is typed into a command is held back by rules for exec.`;
      return { message, nearest: [`exec(${formatConditions(conditions)})`] };
    }
    if (able.length > 0) continue;
    const names = tools.length > 3 ? `these ${tools.length} tools` : joinWords(tools.map(({ name }) => name));
    const message = `No call of ${names} ${verbs[condition.kind]} (going by the effects), so "${text}" would mean nothing.`;
    return { message, nearest: otherKinds(text, condition, tools) };
  }
  return argumentProblem(selector, tools);
}

/** An action that no tool lists, and that none can have or that is nearly one of those. */
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
  return { message: `"${action}" is no action of ${names}${there}.`, nearest };
}

function hasAction(tool: ToolFacts, action: string | undefined): boolean {
  return action === undefined || mayHaveActions(tool) || (tool.actions?.includes(action) ?? false);
}

/** It does not say what its actions are, and may yet have some. */
function mayHaveActions({ actions, parameters }: ToolFacts): boolean {
  if (actions !== undefined) return false;
  return parameters === undefined || parameters.some(({ name }) => name === "action" || name === "*");
}

/** `read(src/**)` is a command pattern, and was hardly meant to be one. */
function otherKinds(text: string, condition: Condition, tools: readonly ToolFacts[]): string[] {
  if (!isBare(text, condition)) return [];
  const head = text.split("(", 1)[0]!;
  const fitting = (["path", "host"] as const).filter((other) => tools.some((tool) => canHave(tool, other)));
  return fitting.map((other) => `${head}(${other}:${condition.pattern})`);
}

/** A command pattern without `command:` in front. */
function isBare(text: string, { kind, pattern }: Condition): boolean {
  return kind === "command" && !text.includes(`command:${pattern}`);
}
