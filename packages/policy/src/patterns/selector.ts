import type { ToolEffect, ToolFacts } from "@haft/core";
import { compileWildcard, matchesWildcard, nearestNames, type Wildcard } from "@haft/utils";
import { type Condition, formatConditions, parseConditions, readConditions } from "./condition.ts";
import type { PatternProblem } from "./pattern-problem.ts";

export type Target =
  | { kind: "all" }
  /** A word that is not resolved yet, or may mean both tool and plugin. */
  | { kind: "word"; word: string }
  | { kind: "name"; name: string }
  | { kind: "id"; id: string }
  /** `*` matches any characters. With a `/` the id is compared, else the name. */
  | { kind: "pattern"; pattern: string; wildcard: Wildcard }
  | { kind: "group"; group: string }
  | { kind: "plugin"; pluginId: string }
  /** `group:plugins`: all tools that Haft does not ship. */
  | { kind: "plugins" }
  | { kind: "effect"; effect: ToolEffect }
  /** `mcp(server/tool)`, regardless of the plugin that mounts it. */
  | { kind: "mcp"; server: Wildcard; tool: Wildcard; text: string };

/** `target`, `target:action`, `target(conditions)` or all three. */
export interface Selector {
  readonly text: string;
  readonly target: Target;
  readonly action?: string;
  readonly conditions?: readonly Condition[];
}

export interface SelectorProblem extends PatternProblem {
  /** This version of Haft does not know the named effect. */
  unknownEffect?: true;
}

export const toolEffects: readonly ToolEffect[] = ["read", "write", "execute", "network", "message"];

/** It does not check names; the catalogue does. */
export function parseSelector(text: string): Selector | SelectorProblem {
  return parse(text, parseConditions);
}

/** Parses a selector whose conditions were checked earlier. */
export function readSelector(text: string): Selector | SelectorProblem {
  return parse(text, readConditions);
}

function parse(text: string, conditionsIn: typeof parseConditions): Selector | SelectorProblem {
  const ofServer = parseMcp(text, conditionsIn);
  if (ofServer) return ofServer;
  const open = text.indexOf("(");
  if (open < 0) return parseHead(text, text);
  const head = text.slice(0, open);
  const parsed = parseHead(head, text);
  if ("message" in parsed) return parsed;
  if (!text.endsWith(")")) {
    return {
      message: `${JSON.stringify(text)} does not end with the closing parenthesis of its condition.`,
    };
  }
  const conditions = conditionsIn(text.slice(open + 1, -1));
  if (!("message" in conditions)) return { ...parsed, conditions };
  return { ...conditions, nearest: conditions.nearest?.map((each) => `${head}(${each})`) };
}

/** `mcp(server/tool)`, optionally with a condition. */
function parseMcp(
  text: string,
  conditionsIn: typeof parseConditions,
): Selector | SelectorProblem | undefined {
  const parsed = /^mcp\(([^()]*)\)(?:\((.*)\))?$/s.exec(text);
  if (!parsed) return undefined;
  const [, inner = "", given] = parsed;
  const [server = "", tool = "*", more] = inner.split("/").map((part) => part.trim());
  if (server === "" || tool === "" || more !== undefined || /[^\w.:@ *-]/.test(server + tool)) {
    const message = `${JSON.stringify(text)} does not name a tool of an MCP server; write mcp(server/tool), each optionally with *.`;
    return { message };
  }
  const wild = (part: string) => compileWildcard(mcpName(part));
  const shown = `mcp(${mcpName(server)}/${mcpName(tool)})`;
  const target: Target = { kind: "mcp", server: wild(server), tool: wild(tool), text: shown };
  if (given === undefined) return { text, target };
  const conditions = conditionsIn(given);
  if (!("message" in conditions)) return { text, target, conditions };
  return { ...conditions, nearest: conditions.nearest?.map((each) => `mcp(${inner})(${each})`) };
}

/** Clients replace other characters with `_` in combined names. */
function mcpName(name: string): string {
  return name.replaceAll(/[^\w*-]/g, "_");
}

/** Returns equal texts for all spellings of a selector. */
export function formatSelector({ target, action, conditions }: Selector): string {
  return `${formatTarget(target)}${action === undefined ? "" : `:${action}`}${conditions ? `(${formatConditions(conditions)})` : ""}`;
}

export function canonicalSelector(text: string): string {
  const parsed = parseSelector(text);
  return "message" in parsed ? text : formatSelector(parsed);
}

export function isConditional({ action, conditions }: Selector): boolean {
  return action !== undefined || conditions !== undefined;
}

function parseHead(head: string, text: string): Selector | SelectorProblem {
  const parts = head.split(":");
  const prefixed = parts[0] === "group" || parts[0] === "effect";
  const action = prefixed ? parts[2] : parts[1];
  const well = parts.length <= (prefixed ? 3 : 2) && (action === undefined || /^[\w-]+$/.test(action));
  const target = well ? parseTarget(parts[0]!, prefixed ? (parts[1] ?? "") : undefined) : undefined;
  if (target && "message" in target) return target;
  if (target) return action === undefined ? { text, target } : { text, target, action };
  const message = `${JSON.stringify(text)} is not a selector; write a tool name, plugin/name, a name with *, group:… or effect:…, then optionally :action and (condition).`;
  const cleaned = head.trim() + text.slice(head.length);
  return cleaned !== text && head.trim() !== "" ? { message, nearest: [cleaned.trim()] } : { message };
}

function parseTarget(word: string, rest: string | undefined): Target | SelectorProblem | undefined {
  if (rest === undefined) {
    if (word === "*") return { kind: "all" };
    if (!/^[\w*-]+(\/[\w*-]+)?$/.test(word)) return undefined;
    if (word.includes("*")) return { kind: "pattern", pattern: word, wildcard: compileWildcard(word) };
    return word.includes("/") ? { kind: "id", id: word } : { kind: "word", word };
  }
  if (word === "group") {
    if (!/^[\w-]+$/.test(rest)) return undefined;
    return rest === "plugins" ? { kind: "plugins" } : { kind: "group", group: rest };
  }
  const effect = toolEffects.find((known) => known === rest);
  if (effect !== undefined) return { kind: "effect", effect };
  const nearest = nearestNames(rest, toolEffects).map((known) => `effect:${known}`);
  return {
    message: `"${rest}" is not an effect; there are ${toolEffects.join(", ")}.`,
    nearest,
    unknownEffect: true,
  };
}

function formatTarget(target: Target): string {
  switch (target.kind) {
    case "all":
      return "*";
    case "word":
      return target.word;
    case "name":
      return target.name;
    case "id":
      return target.id;
    case "pattern":
      return target.pattern;
    case "group":
      return `group:${target.group}`;
    case "plugin":
      return target.pluginId;
    case "plugins":
      return "group:plugins";
    case "effect":
      return `effect:${target.effect}`;
    case "mcp":
      return target.text;
  }
}

/** Whether it names tools, a plugin or all plugins, which enables optional tools. */
export function namesTools({ target }: Selector): boolean {
  return (
    target.kind === "name" ||
    target.kind === "id" ||
    target.kind === "plugin" ||
    target.kind === "plugins" ||
    target.kind === "mcp"
  );
}

/** Compares everything except effects, which opening and restricting lists treat differently. */
export function selectsTool(target: Exclude<Target, { kind: "effect" }>, tool: ToolFacts): boolean {
  switch (target.kind) {
    case "all":
      return true;
    case "name":
      return target.name === tool.name;
    case "id":
      return listIds(tool).includes(target.id);
    case "pattern":
      return (target.pattern.includes("/") ? listIds(tool) : [tool.name]).some((name) =>
        matchesWildcard(target.wildcard, name),
      );
    case "group":
      return tool.groups.includes(target.group);
    case "plugin":
      return isOfPlugin(tool, target.pluginId);
    case "plugins":
      return !tool.builtIn;
    case "word":
      return target.word === tool.name || isOfPlugin(tool, target.word);
    case "mcp":
      return (
        tool.mcp !== undefined &&
        (tool.mcp.server === "" || matchesWildcard(target.server, mcpName(tool.mcp.server))) &&
        matchesWildcard(target.tool, mcpName(tool.mcp.tool))
      );
  }
}

/** In guarded agents, tools of MCP servers are `mcp/tool`, so one file means the same everywhere. */
function listIds({ id, mcp }: ToolFacts): string[] {
  return mcp === undefined ? [id] : [id, `mcp/${mcp.tool}`];
}

function isOfPlugin({ pluginId, mcp }: ToolFacts, name: string): boolean {
  return name === pluginId || (name === "mcp" && mcp !== undefined);
}
