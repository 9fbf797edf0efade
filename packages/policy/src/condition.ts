import { nearestNames } from "@haft/core";
import { compileCommandPattern } from "./command-pattern.ts";
import { compileHostPattern } from "./host-pattern.ts";
import { compilePathGlob } from "./path-glob.ts";

/** What a selector asks of a call, beside the tool: one of the patterns in its parentheses. */
export type Condition =
  | { readonly kind: "command" | "path" | "host"; readonly pattern: string }
  /** Of an argument by its canonical name; inner ones as `target.address`. */
  | { readonly kind: "arg"; readonly name: string; readonly pattern: string };

const conditionKinds = ["command", "path", "host", "arg"] as const;

/** Parses what stands in parentheses: patterns with their kind in front, separated by `, `. */
export function parseConditions(text: string): Condition[] | { message: string; nearest?: string[] } {
  if (text.trim() === "")
    return { message: "Nothing stands in the parentheses; leave them out to mean every call." };
  const conditions: Condition[] = [];
  for (const piece of text.split(/, (?=(?:command|path|host|arg):)/)) {
    const condition = parseCondition(piece);
    if ("message" in condition) return condition;
    conditions.push(condition);
  }
  return conditions;
}

export function formatConditions(conditions: readonly Condition[]): string {
  const each = conditions.map((condition) => {
    const name = condition.kind === "arg" ? `${condition.name}=` : "";
    return `${condition.kind}:${name}${condition.pattern}`;
  });
  return each.join(", ");
}

function parseCondition(piece: string): Condition | { message: string; nearest?: string[] } {
  const prefix = /^(\w+):/.exec(piece)?.[1];
  const kind = prefix === undefined ? "command" : conditionKinds.find((known) => known === prefix);
  if (kind === undefined) {
    const near = nearestNames(prefix!, conditionKinds).map(
      (known) => `${known}:${piece.slice(prefix!.length + 1)}`,
    );
    const message = `"${prefix}:" is not known here; there are ${conditionKinds.map((known) => `${known}:`).join(", ")} (a command with a colon is written command:…).`;
    return { message, nearest: near };
  }
  const pattern = prefix === undefined ? piece : piece.slice(kind.length + 1);
  if (kind === "arg") return parseArgument(pattern);
  const compiled =
    kind === "command"
      ? compileCommandPattern(pattern)
      : kind === "path"
        ? compilePathGlob(pattern, false)
        : compileHostPattern(pattern);
  if (!("message" in compiled)) return { kind, pattern };
  const path = prefix === undefined && pattern.includes("/") && !pattern.includes(" ");
  return { message: compiled.message, ...(path ? { nearest: [`path:${pattern}`] } : {}) };
}

function parseArgument(text: string): Condition | { message: string } {
  const parsed = /^([\w-]+(?:\.[\w-]+)*)=(.*)$/s.exec(text);
  if (!parsed)
    return { message: `${JSON.stringify(`arg:${text}`)} is no condition; write arg:NAME=PATTERN.` };
  const [, name = "", pattern = ""] = parsed;
  if (/(?<!\\)(?:\\\\)*\\$/.test(pattern))
    return { message: `${JSON.stringify(pattern)} ends with a backslash.` };
  return { kind: "arg", name, pattern };
}
