import { checkValue, type Issue, checkValueCount } from "@haft/core/internal";
import type { PatternProblem } from "../patterns/pattern-problem.ts";
import { formatPath, type KeyPath, type Problems } from "./problems.ts";

/** Contains a JSON Schema or a part of one. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Keywords for editors. Readers of a document report such problems better. */
const EXPLAINED_BETTER: ReadonlySet<string> = new Set(["pattern", "propertyNames", "minItems"]);

/** Returns the part of a schema that {@link readShape} checks. */
export function toShape(schema: object): JsonSchema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (EXPLAINED_BETTER.has(key)) return undefined;
    return isObjectSchema(value) ? { ...value, type: undefined, "haft:kind": "options" } : value;
  });
  return JSON.parse(text) as JsonSchema;
}

function isObjectSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && "type" in value && value.type === "object";
}

const KINDS: Readonly<Record<string, { words: string; blank: unknown }>> = {
  object: { words: "an object", blank: {} },
  array: { words: "a list", blank: [] },
  string: { words: "text", blank: "" },
};

/** Returns a valid copy. Wrong values become empty, so list entries keep their positions. */
export function readShape(shape: object, value: unknown, problems: Problems): unknown {
  const issues = checkShape(shape, value, problems);
  if (issues === undefined) return {};
  const blanks = new Map(issues.map((issue) => [formatPath(issue.path), kindOf(issue)?.blank]));
  return copy(value, [], blanks);
}

/** Limits the issues of one document, because each searches for similar names. */
const MAX_ISSUES = 100;

/** Returns `undefined` if there are more problems than it reports. */
export function checkShape(shape: object, value: unknown, problems: Problems): readonly Issue[] | undefined {
  const message = checkValueCount(value);
  if (message !== undefined) {
    problems.add([], { message });
    return undefined;
  }
  const issues = checkValue(shape, value, MAX_ISSUES);
  for (const issue of issues)
    problems.add(issue.kind === "missing" ? issue.path.slice(0, -1) : issue.path, explain(issue));
  return issues.length < MAX_ISSUES ? issues : undefined;
}

function copy(value: unknown, path: KeyPath, blanks: ReadonlyMap<string, unknown>): unknown {
  const position = formatPath(path);
  if (blanks.has(position)) return blanks.get(position);
  if (Array.isArray(value)) return value.map((each, index) => copy(each, [...path, index], blanks));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(
    ([key, each]) => [key, copy(each, [...path, key], blanks)] as const,
  );
  // fromEntries keeps "__proto__" an ordinary key.
  return Object.fromEntries(members.filter(([, each]) => each !== undefined));
}

function explain(issue: Issue): PatternProblem {
  const { kind, path, expected, received, known, near } = issue;
  if (kind === "missing") return { message: `It has no ${path.at(-1)} (${expected}).` };
  if (kind === "unknown") {
    const isConfiguration = path.length === 1 && path[0] === "policy";
    const hint = isConfiguration ? " This is a configuration: name it with --config FILE." : "";
    return { message: `There is no such key; known here: ${known.join(", ")}.${hint}`, nearest: near };
  }
  const what = kindOf(issue)?.words ?? expected.replace("array of string", "a list");
  const message = `Expected ${what}, got ${received}.`;
  if (known.length === 0) return { message };
  // Older versions of YAML read a bare `off` as false.
  const hint = received.startsWith("boolean") ? " Quote it if it is meant as a word." : "";
  return { message: `${message}${hint}`, nearest: near };
}

function kindOf({ kind, expected }: Issue): (typeof KINDS)[string] | undefined {
  return kind === "wrong" ? KINDS[expected.split(" ")[0]!] : undefined;
}
