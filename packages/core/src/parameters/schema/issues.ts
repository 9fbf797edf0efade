import { truncate, nearestNames } from "@haft/utils";
import { isPlainObject, type JsonSchema } from "./json-schema.ts";
import { valueKind } from "./value-kinds.ts";

export interface Issue {
  /** `missing`: required but absent. `unknown`: present but not allowed. `wrong`: of another type or value. */
  readonly kind: "missing" | "unknown" | "wrong";
  /** Members up to the invalid value: `["edits", 0, "oldText"]`. Empty for the whole value. */
  readonly path: readonly (string | number)[];
  /** Expected value: `string`, `integer from 1 to 10`, `one of "a", "b"`. */
  readonly expected: string;
  /** Received value in at most 80 characters: `number 5`, `string of 10485760 characters`. */
  readonly received: string;
  readonly known: readonly string[];
  /** At most three similar members of `known`, best first. */
  readonly near: readonly string[];
}

export interface ParameterIssue extends Pick<Issue, "kind" | "expected" | "received"> {
  /** A JavaScript path: `edits[0].oldText`. Empty for the whole value. */
  path: string;
  message: string;
}

const MAX_ISSUES = 10;
const MAX_MESSAGE = 300;

export class IssueReport {
  readonly issues: Issue[] = [];
  readonly #path: (string | number)[];
  readonly #start: number;
  readonly #max: number;

  constructor(max = MAX_ISSUES, path: readonly (string | number)[] = []) {
    this.#max = max;
    this.#path = [...path];
    this.#start = path.length;
  }

  restart(): void {
    this.issues.length = 0;
    this.#path.length = this.#start;
  }

  get full(): boolean {
    return this.issues.length >= this.#max;
  }

  enter(segment: string | number): void {
    this.#path.push(segment);
  }

  leave(): void {
    this.#path.pop();
  }

  fork(): IssueReport {
    return new IssueReport(this.#max, this.#path);
  }

  wrong(expected: string, value: unknown, words: readonly unknown[] = []): false {
    const known = words.filter((word) => typeof word === "string");
    const near = typeof value === "string" ? nearestNames(value, known) : [];
    return this.#add("wrong", [...this.#path], expected, describeValue(value), known, near);
  }

  missing(name: string, expected: string): false {
    return this.#add("missing", [...this.#path, name], expected, "nothing");
  }

  unknown(name: string, value: unknown, names: Iterable<string>): false {
    const known = [...names];
    const near = nearestNames(name, known);
    return this.#add(
      "unknown",
      [...this.#path, name],
      "no such parameter",
      describeValue(value),
      known,
      near,
    );
  }

  closest(
    alternatives: readonly IssueReport[],
    value: unknown,
    expected: string,
    words: readonly unknown[],
  ): false {
    const depth = this.#path.length;
    const inside = alternatives.filter(({ issues }) =>
      issues.every((issue) => issue.path.length > depth && !isFixed(issue)),
    );
    if (inside.length !== 1) return this.wrong(expected, value, words);
    for (const issue of inside[0]?.issues ?? []) {
      if (!this.full) this.issues.push(issue);
    }
    return false;
  }

  #add(
    kind: Issue["kind"],
    path: Issue["path"],
    expected: string,
    received: string,
    known: readonly string[] = [],
    near: readonly string[] = [],
  ): false {
    if (!this.full) this.issues.push({ kind, path, expected, received, known, near });
    return false;
  }
}

export function parameterIssue({ kind, path: segments, expected, received, near }: Issue): ParameterIssue {
  const path = formatPath(segments);
  const hint = near[0] === undefined ? "" : ` (did you mean ${near[0]}?)`;
  const message = {
    wrong: `${path || "arguments"} must be ${expected}, received ${received}`,
    missing: `missing ${path} (${expected})`,
    unknown: `unknown parameter ${path}${hint}`,
  }[kind];
  return { kind, path, expected, received, message: truncate(message, MAX_MESSAGE) };
}

function isFixed(issue: Issue): boolean {
  return issue.kind === "wrong" && /^(?:exactly|one of) /.test(issue.expected);
}

export function formatPath(segments: readonly (string | number)[]): string {
  let path = "";
  for (const segment of segments) {
    if (typeof segment === "number") path += `[${segment}]`;
    else if (/^[\w$-]{1,64}$/.test(segment)) path += path === "" ? segment : `.${segment}`;
    else path += `[${JSON.stringify(truncate(segment, 64))}]`;
  }
  return truncate(path, 160);
}

export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === "") return "empty string";
  if (typeof value === "string") {
    return value.length > 40
      ? `string of ${value.length} characters`
      : truncate(`string ${JSON.stringify(value)}`, 80);
  }
  if (typeof value === "number" || typeof value === "boolean") return `${typeof value} ${String(value)}`;
  if (typeof value !== "object") return typeof value;
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "empty array" : `array of ${value.length}`;
  if (!isPlainObject(value)) return "object that is not plain JSON";
  const keys = Object.keys(value);
  if (keys.length === 0) return "empty object";
  const shown = keys.slice(0, 4).map((key) => truncate(key, 16));
  return truncate(`object with ${shown.join(", ")}${keys.length > 4 ? ", …" : ""}`, 80);
}

export function describeSchema(schema: unknown, depth = 0): string {
  if (schema === false) return "nothing";
  if (typeof schema !== "object" || schema === null) return "any value";
  const node = schema as JsonSchema;
  const kind = valueKind(node["haft:kind"]);
  if (kind !== undefined) return `${kind.words}${describeBounds(node, depth)}`;
  if (Object.hasOwn(node, "const")) return `exactly ${json(node.const)}`;
  if (Array.isArray(node.enum)) {
    const shown = node.enum.slice(0, 12).map(json).join(", ");
    return truncate(`one of ${shown}${node.enum.length > 12 ? ", …" : ""}`, 200);
  }
  const union = node.anyOf ?? node.oneOf;
  if (Array.isArray(union) && depth < 3) return describeUnion(union, depth);
  const type = Array.isArray(node.type) ? node.type.join(" or ") : node.type;
  if (typeof type !== "string") return node.properties === undefined ? "another value" : "object";
  return truncate(`${type}${describeBounds(node, depth)}`, 200);
}

function describeUnion(branches: unknown[], depth: number): string {
  const values = branches.map((branch) => (isPlainObject(branch) ? branch["const"] : undefined));
  const words = values.every((value) => value !== undefined)
    ? [describeSchema({ enum: values })]
    : branches.slice(0, 8).map((branch) => describeSchema(branch, depth + 1));
  return truncate([...new Set(words)].join(" or "), 200);
}

function describeBounds(node: JsonSchema, depth: number): string {
  const words: string[] = [];
  if (node.type === "array") {
    if (isPlainObject(node.items) && depth < 2) words.push(`of ${describeSchema(node.items, depth + 1)}`);
    words.push(...range(node.minItems, node.maxItems, " items"));
    if (node.uniqueItems === true) words.push("without repeats");
  }
  words.push(...range(node.minLength, node.maxLength, " characters"));
  words.push(...range(unlessSafe(node.minimum), unlessSafe(node.maximum), ""));
  if (node.exclusiveMinimum !== undefined) words.push(`above ${json(node.exclusiveMinimum)}`);
  if (node.exclusiveMaximum !== undefined) words.push(`below ${json(node.exclusiveMaximum)}`);
  if (node.multipleOf !== undefined) words.push(`in steps of ${json(node.multipleOf)}`);
  // A format name is clearer than the pattern that libraries write for it.
  if (typeof node.pattern === "string")
    words.push(
      typeof node.format === "string"
        ? `in the form of ${truncate(node.format, 40)}`
        : `matching /${truncate(node.pattern, 80)}/`,
    );
  words.push(...range(node.minProperties, node.maxProperties, " properties"));
  return words.length === 0 ? "" : ` ${words.join(" ")}`;
}

function unlessSafe(bound: unknown): unknown {
  return typeof bound === "number" && Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
}

function range(low: unknown, high: unknown, unit: string): string[] {
  if (low !== undefined && high !== undefined) return [`from ${json(low)} to ${json(high)}${unit}`];
  if (low !== undefined) return [`of at least ${json(low)}${unit}`];
  return high === undefined ? [] : [`of at most ${json(high)}${unit}`];
}

function json(value: unknown): string {
  return truncate(JSON.stringify(value) ?? String(value), 60);
}
