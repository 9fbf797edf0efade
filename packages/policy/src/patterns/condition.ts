import { compileWildcard, nearestNames, type Wildcard } from "@haft/utils";
import { compileCommandPattern } from "./command-pattern.ts";
import { compileHostPattern } from "./host-pattern.ts";
import { compilePathGlob } from "./path-glob.ts";
import { type PatternProblem, textProblem } from "./pattern-problem.ts";

export type Condition =
  | { readonly kind: "command" | "path" | "host" | "node"; readonly pattern: string }
  /** Names can be nested: `target.address`. */
  | { readonly kind: "arg"; readonly name: string; readonly pattern: string };

const conditionKinds = ["command", "path", "host", "node", "arg"] as const;
const kindList = conditionKinds.map((known) => `${known}:`).join(", ");

export function parseConditions(text: string): Condition[] | PatternProblem {
  if (text.trim() === "")
    return { message: "The parentheses are empty; leave them out to match every call." };
  const conditions: Condition[] = [];
  for (const piece of piecesOf(text)) {
    const condition = misspelledKind(piece, text) ?? parseCondition(piece);
    if ("message" in condition) return condition;
    conditions.push(condition);
  }
  return conditions;
}

export function readConditions(text: string): Condition[] {
  return piecesOf(text).map((piece) => {
    const kind = conditionKinds.find((known) => piece.startsWith(`${known}:`));
    if (kind === undefined) return { kind: "command", pattern: piece };
    const pattern = piece.slice(kind.length + 1);
    if (kind !== "arg") return { kind, pattern };
    const [name = ""] = pattern.split("=", 1);
    return { kind, name, pattern: pattern.slice(name.length + 1) };
  });
}

function piecesOf(text: string): string[] {
  return text.split(/(?<!\\), (?=(?:command|path|host|node|arg):)/);
}

/** In `path:src/**, hots:x` the second condition would become part of the first pattern. */
function misspelledKind(piece: string, text: string): PatternProblem | undefined {
  const between = /^(?:path|host|node|arg):/.test(piece) ? /(?<!\\)(?:,\s*|\s)(\w+):/g : /(?<!\\),\s*(\w+):/g;
  for (const { 0: all, 1: word = "" } of piece.matchAll(between)) {
    const nearest = conditionKinds.some((known) => known === word)
      ? [word]
      : nearestNames(word, conditionKinds);
    if (nearest.length === 0) continue;
    const message = `"${word}:" is unknown, or does not follow a comma and one space; known are ${kindList}. Write \\ before a literal comma.`;
    return { message, nearest: nearest.map((kind) => text.replace(all, `, ${kind}:`)) };
  }
  return undefined;
}

export function formatConditions(conditions: readonly Condition[]): string {
  const each = conditions.map((condition) => {
    const name = condition.kind === "arg" ? `${condition.name}=` : "";
    return `${condition.kind}:${name}${condition.pattern}`;
  });
  return each.join(", ");
}

function parseCondition(piece: string): Condition | PatternProblem {
  const prefix = /^(\w+):/.exec(piece)?.[1];
  const kind = prefix === undefined ? "command" : conditionKinds.find((known) => known === prefix);
  if (kind === undefined) {
    const near = nearestNames(prefix!, conditionKinds).map(
      (known) => `${known}:${piece.slice(prefix!.length + 1)}`,
    );
    const message = `"${prefix}:" is unknown; known are ${kindList} (a command with a colon is written command:…).`;
    return { message, nearest: near };
  }
  const colon = prefix === undefined && hasStrayColon(piece);
  if (colon) {
    const message = `${JSON.stringify(piece)} looks like a mistyped condition; known are ${kindList} (write command:… for a program with such a name or a colon).`;
    const [, word, rest = ""] = /^:*(\w+) *(?:[:=]| ) *(.*)$/s.exec(piece) ?? [];
    const nearest =
      word === undefined ? [] : nearestNames(word, conditionKinds).map((known) => `${known}:${rest}`);
    return { message, nearest };
  }
  const pattern = prefix === undefined ? piece : piece.slice(kind.length + 1);
  if (kind !== "arg" && /^[:=]/.test(pattern) && (kind !== "command" || /^.\S/.test(pattern))) {
    const message = `${JSON.stringify(piece)}: a pattern begins with ${JSON.stringify(pattern[0])}; write \\ before it if it is literal.`;
    return { message, nearest: [`${kind}:${pattern.replace(/^[:=]+/, "")}`] };
  }
  if (kind === "arg") return parseArgument(pattern);
  const compiled =
    kind === "command"
      ? compileCommandPattern(pattern)
      : kind === "path"
        ? compilePathGlob(pattern, false)
        : kind === "host"
          ? compileHostPattern(pattern)
          : compileNodePattern(pattern);
  if (!("message" in compiled)) return { kind, pattern };
  const path = prefix === undefined && /^[^/\s]+\/\S*$/.test(pattern);
  const meant = path ? [pattern] : (compiled.nearest ?? []);
  const kindPrefix = path ? "path:" : prefix === undefined ? "" : `${kind}:`;
  const nearest = meant.length > 0 ? meant.map((each) => kindPrefix + each) : undefined;
  return { message: compiled.message, nearest };
}

function compileNodePattern(pattern: string): Wildcard | PatternProblem {
  const shown = JSON.stringify(pattern);
  if (pattern === "") return { message: "The id or name of a node is missing." };
  if (pattern.trim() === pattern) return textProblem(pattern) ?? compileWildcard(pattern);
  return { message: `${shown} begins or ends with a space.`, nearest: [pattern.trim()] };
}

/** Detects `path :src`, `c ommand:ls` and `:host:x`. */
function hasStrayColon(piece: string): boolean {
  const [front = ""] = piece.split(/[:=]/, 1);
  const squeezed = front.replaceAll(" ", "");
  if (front !== piece && squeezed.length > 2 && nearestNames(squeezed, conditionKinds).length > 0)
    return true;
  return /^(?:[^ ]+:|:[^ ]|command)/.test(piece);
}

function parseArgument(text: string): Condition | PatternProblem {
  const parsed = /^([\w-]+(?:\.[\w-]+)*)=(.*)$/s.exec(text);
  if (!parsed)
    return { message: `${JSON.stringify(`arg:${text}`)} is not a condition; write arg:NAME=PATTERN.` };
  const [, name = "", pattern = ""] = parsed;
  const shown = JSON.stringify(pattern);
  if (/^[:=]/.test(pattern)) {
    const message = `${shown}: a pattern begins with ${JSON.stringify(pattern[0])}; write \\ before it if it is literal.`;
    return { message, nearest: [`arg:${name}=${pattern.replace(/^[:=]+/, "")}`] };
  }
  if (/^[<>]=? *-?\d|^-?\d+(?:\.\d+)?\.\.(?:-?\d|$)|^\.\.\d/.test(pattern))
    return {
      message: `${shown} is compared as text, not as numbers; write the text of the argument, optionally with *, and \\ before a literal character.`,
    };
  if (/(?<!\\)(?:\\\\)*\\$/.test(pattern)) return { message: `${shown} ends with a backslash.` };
  if (/^\s|(?<!\\)\s$/.test(pattern)) {
    const message = `${shown} begins or ends with a space; write \\ before a literal space.`;
    return { message, nearest: [`arg:${name}=${pattern.trim()}`] };
  }
  const escaped = /(?<!\\)(?:\\\\)*\\([A-Za-z0-9])/.exec(pattern)?.[1];
  if (escaped !== undefined)
    return { message: `${shown} has \\${escaped}, which is just ${escaped}; write \\\\ for a backslash.` };
  const problem = textProblem(pattern);
  if (problem) return { ...problem, nearest: (problem.nearest ?? []).map((each) => `arg:${name}=${each}`) };
  return { kind: "arg", name, pattern };
}
