import {
  compilePattern,
  isPlainObject,
  type JsonObject,
  type JsonSchema,
  schemaInvalidError,
} from "./json-schema.ts";
import { valueKind } from "./value-kinds.ts";

export type Predicate = (value: unknown) => boolean;

const TYPES: Readonly<Record<string, Predicate>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number" && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  object: isPlainObject,
  array: Array.isArray,
};

const BOUNDS = /^(?:min|max|exclusiveM|multipleOf$|pattern$|uniqueItems$)/;

export function predicates(node: JsonSchema, where: string): Predicate[] {
  const tests: Predicate[] = [];
  if (node.type !== undefined) tests.push(typePredicate(node.type, where));
  const kind = valueKind(node["haft:kind"]);
  if (kind !== undefined) tests.push(kind.test);
  if (node.enum !== undefined) {
    if (!Array.isArray(node.enum)) throw schemaInvalidError(`${where}/enum`, "enum must be an array");
    tests.push(oneOfValues(node.enum));
  }
  if (Object.hasOwn(node, "const")) tests.push(oneOfValues([node.const]));
  for (const key in node) {
    if (!BOUNDS.test(key)) continue;
    tests.push(...stringPredicates(node, where));
    tests.push(...numberPredicates(node, where));
    tests.push(...sizePredicates(node, where));
    break;
  }
  return tests;
}

function typePredicate(type: unknown, where: string): Predicate {
  const tests = (Array.isArray(type) ? type : [type]).map((name: unknown) => {
    const test = typeof name === "string" && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    if (test === undefined) {
      throw schemaInvalidError(`${where}/type`, `${JSON.stringify(name) ?? String(name)} is not a JSON type`);
    }
    return test;
  });
  const [first] = tests;
  if (first === undefined) throw schemaInvalidError(`${where}/type`, "type must name at least one type");
  return tests.length === 1 ? first : (value) => tests.some((test) => test(value));
}

function oneOfValues(allowed: readonly unknown[]): Predicate {
  const plain = new Set(allowed);
  const compound = allowed.filter((value) => typeof value === "object" && value !== null);
  if (compound.length === 0) return (value) => plain.has(value);
  return (value) => plain.has(value) || compound.some((other) => deepEqual(value, other));
}

function stringPredicates(node: JsonSchema, where: string): Predicate[] {
  const tests: Predicate[] = [];
  const low = schemaCount(node, "minLength", where);
  const high = schemaCount(node, "maxLength", where);
  if (low !== undefined) tests.push((value) => typeof value !== "string" || hasCharacters(value, low));
  if (high !== undefined) tests.push((value) => typeof value !== "string" || !hasCharacters(value, high + 1));
  if (node.pattern !== undefined) {
    const pattern = compilePattern(node.pattern, `${where}/pattern`);
    tests.push((value) => typeof value !== "string" || pattern.test(value));
  }
  return tests;
}

function hasCharacters(value: string, count: number): boolean {
  if (value.length < count) return false;
  if (value.length >= 2 * count) return true;
  let found = 0;
  for (let index = 0; index < value.length && found < count; found++) {
    index += (value.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return found >= count;
}

function numberPredicates(node: JsonSchema, where: string): Predicate[] {
  const tests: Predicate[] = [];
  const bound = (
    key: "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf",
  ): number | undefined => {
    const limit = node[key];
    if (limit !== undefined && typeof limit !== "number")
      throw schemaInvalidError(`${where}/${key}`, `${key} must be a number`);
    return limit;
  };
  const add = (limit: number | undefined, test: (value: number, limit: number) => boolean): void => {
    if (limit !== undefined) tests.push((value) => typeof value !== "number" || test(value, limit));
  };
  add(bound("minimum"), (value, limit) => value >= limit);
  add(bound("maximum"), (value, limit) => value <= limit);
  add(bound("exclusiveMinimum"), (value, limit) => value > limit);
  add(bound("exclusiveMaximum"), (value, limit) => value < limit);
  const step = bound("multipleOf");
  if (step !== undefined && !(step > 0))
    throw schemaInvalidError(`${where}/multipleOf`, "multipleOf must be above 0");
  add(step, (value, limit) => {
    // 0.3 is a multiple of 0.1 despite binary fractions.
    const quotient = value / limit;
    return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
  });
  return tests;
}

function sizePredicates(node: JsonSchema, where: string): Predicate[] {
  const tests: Predicate[] = [];
  const lowItems = schemaCount(node, "minItems", where) ?? 0;
  const highItems = schemaCount(node, "maxItems", where) ?? Number.POSITIVE_INFINITY;
  if (lowItems > 0 || highItems < Number.POSITIVE_INFINITY) {
    tests.push((value) => !Array.isArray(value) || (value.length >= lowItems && value.length <= highItems));
  }
  const low = schemaCount(node, "minProperties", where) ?? 0;
  const high = schemaCount(node, "maxProperties", where) ?? Number.POSITIVE_INFINITY;
  if (low > 0 || high < Number.POSITIVE_INFINITY) {
    tests.push((value) => {
      if (!isPlainObject(value)) return true;
      const size = Object.keys(value).length;
      return size >= low && size <= high;
    });
  }
  if (node.uniqueItems === true) tests.push((value) => !Array.isArray(value) || allDifferent(value));
  return tests;
}

export function schemaCount(node: object, key: string, where: string): number | undefined {
  const count = (node as JsonObject)[key];
  if (count === undefined) return undefined;
  if (typeof count !== "number" || !(count >= 0)) {
    throw schemaInvalidError(`${where}/${key}`, `${key} must be a number of at least 0`);
  }
  return count;
}

function allDifferent(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>();
  for (const item of items) {
    const key = typeof item === "object" && item !== null ? `\u0000${canonicalText(item)}` : item;
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isPlainObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`);
  return `{${members.join(",")}}`;
}

export function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => deepEqual(item, b[index]));
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const present = (value: JsonObject): string[] =>
    Object.keys(value).filter((key) => value[key] !== undefined);
  const keys = present(a);
  return (
    keys.length === present(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
  );
}
