import { checkValue } from "@haft/core/internal";
import type * as fastCheck from "fast-check";
import { SAMPLE_TEXTS, getSampleTexts } from "./texts.ts";

/** An optional peer of this package. */
export type FastCheck = typeof fastCheck;
export type ArgumentSchema = Readonly<Record<string, unknown>>;

/** Deeper optional parts are omitted. */
const MAX_DEPTH = 5;
/** Deeper parts are null, even if required. */
const MAX_NESTING = 15;
const MAX_ITEMS = 20;
const MAX_EXTRA_KEYS = 3;
const NUMBERS = [0, 1, -1, 2, 10, 0.5, -0.001, 1e9, 2 ** 31, -(2 ** 53) + 1, 2 ** 53 - 1, 1e308, 5e-324];

/** Returns whether the kernel accepts these arguments. */
export function matchesSchema(schema: ArgumentSchema, value: unknown): boolean {
  try {
    return checkValue(schema, value, 1).length === 0;
  } catch {
    return false;
  }
}

/** Returns values for a schema, mostly unusual. Some do not fit: filter with {@link matchesSchema}. */
export function createArgumentsArbitrary(fc: FastCheck, root: ArgumentSchema): fastCheck.Arbitrary<unknown> {
  // Schemas may refer to themselves.
  const known = new Map<unknown, Map<string, fastCheck.Arbitrary<unknown>>>();
  const valueOf = (given: unknown, name: string, depth: number): fastCheck.Arbitrary<unknown> => {
    if (typeof given !== "object" || given === null) return fc.constant("anything");
    const byName = known.get(given) ?? new Map<string, fastCheck.Arbitrary<unknown>>();
    known.set(given, byName);
    const key = `${depth} ${name}`;
    const made = byName.get(key) ?? choose(resolve(given as ArgumentSchema), name, depth);
    byName.set(key, made);
    return made;
  };
  const choose = (schema: ArgumentSchema, name: string, depth: number): fastCheck.Arbitrary<unknown> => {
    if (depth > MAX_NESTING) return fc.constant(null);
    if ("const" in schema) return fc.constant(schema["const"]);
    if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
    for (const key of ["anyOf", "oneOf"]) {
      const choices = listOf(schema[key]);
      if (choices.length === 0) continue;
      const rest = { ...schema, [key]: undefined };
      return fc.oneof(
        ...choices.map((each) => choose(merge(rest, resolve(each as ArgumentSchema)), name, depth + 1)),
      );
    }
    if (Array.isArray(schema["allOf"])) {
      const parts = schema["allOf"].map((part) => resolve(part as ArgumentSchema));
      return choose(parts.reduce(merge, { ...schema, allOf: undefined }), name, depth + 1);
    }
    const types = listOf(schema["type"] ?? guess(schema) ?? ["null", "boolean", "number", "string"]);
    return fc.oneof(...types.map((type) => typed(type, schema, name, depth)));
  };
  const typed = (
    type: unknown,
    schema: ArgumentSchema,
    name: string,
    depth: number,
  ): fastCheck.Arbitrary<unknown> => {
    if (type === "object") return object(schema, depth);
    if (type === "array") return array(schema, name, depth);
    if (type === "string") return text(fc, schema, name);
    if (type === "number" || type === "integer") return number(fc, schema, type === "integer");
    return type === "boolean" ? fc.boolean() : fc.constant(null);
  };
  const resolve = (schema: ArgumentSchema): ArgumentSchema => {
    const { $ref } = schema;
    if (typeof $ref !== "string") return schema;
    let found: unknown = root;
    for (const part of $ref.replace(/^#\/?/, "").split("/").filter(Boolean))
      found = (found as Record<string, unknown> | undefined)?.[decodeURIComponent(part)];
    return ((found ?? findById(root, $ref)) as ArgumentSchema | undefined) ?? {};
  };
  const object = (schema: ArgumentSchema, depth: number): fastCheck.Arbitrary<object> => {
    const {
      properties = {},
      required = [],
      additionalProperties,
      patternProperties = {},
    } = schema as {
      properties?: Record<string, unknown>;
      required?: readonly string[];
      additionalProperties?: unknown;
      patternProperties?: Record<string, unknown>;
    };
    const isDeep = depth >= MAX_DEPTH;
    const parts = Object.entries(properties).filter(([key]) => !isDeep || required.includes(key));
    const named = fc.record(
      Object.fromEntries(parts.map(([key, part]) => [key, valueOf(part, key, depth + 1)])),
      { requiredKeys: required.filter((key) => key in properties), noNullPrototype: true },
    );
    const more = typeof additionalProperties === "object" ? additionalProperties : undefined;
    const [[pattern, part] = [undefined, more]] = Object.entries(patternProperties);
    if (part === undefined || isDeep) return named;
    const keys =
      pattern === undefined ? fc.constantFrom("a", "b", "toString", "x-1") : fitting(fc, pattern, "key");
    const extra = fc.dictionary(keys, valueOf(part, "", depth + 1), {
      maxKeys: MAX_EXTRA_KEYS,
      noNullPrototype: true,
    });
    return fc.tuple(extra, named).map((both) => Object.assign({}, ...both) as object);
  };
  const array = (schema: ArgumentSchema, name: string, depth: number): fastCheck.Arbitrary<unknown[]> => {
    const {
      minItems = 0,
      maxItems = MAX_ITEMS,
      prefixItems,
      items,
      uniqueItems,
    } = schema as {
      minItems?: number;
      maxItems?: number;
      prefixItems?: unknown[];
      items?: unknown;
      uniqueItems?: boolean;
    };
    // Draft 7 uses items for the prefixItems of later drafts.
    const first = prefixItems ?? (Array.isArray(items) ? (items as unknown[]) : []);
    const rest = Array.isArray(items) ? {} : (items ?? {});
    const maxLength = depth >= MAX_DEPTH ? minItems : Math.max(minItems, Math.min(maxItems, MAX_ITEMS));
    if (maxLength === 0) return fc.constant([]);
    const item = valueOf(rest, name, depth + 1);
    const bounds = {
      minLength: Math.max(0, minItems - first.length),
      maxLength: Math.max(0, maxLength - first.length),
    };
    const others =
      uniqueItems === true
        ? fc.uniqueArray(item, { ...bounds, selector: (each) => JSON.stringify(each) })
        : fc.array(item, bounds);
    if (first.length === 0) return others;
    return fc
      .tuple(fc.tuple(...first.map((each) => valueOf(each, name, depth + 1))), others)
      .map((both) => both.flat().slice(0, maxItems));
  };
  return valueOf(root, "", 0);
}

function text(fc: FastCheck, schema: ArgumentSchema, name: string): fastCheck.Arbitrary<string> {
  const {
    pattern,
    minLength = 0,
    maxLength = Number.POSITIVE_INFINITY,
  } = schema as {
    pattern?: string;
    minLength?: number;
    maxLength?: number;
  };
  if (typeof pattern === "string") return fitting(fc, pattern, name);
  const sized = (each: string) =>
    each
      .padEnd(Math.min(minLength, 100_000), "a")
      .slice(0, maxLength)
      .replace(/[\ud800-\udbff]$/, "");
  const usual = getSampleTexts(name, schema["format"]);
  // Empty texts break most programs, so every check contains some.
  const odd = fc
    .oneof(
      { weight: 1, arbitrary: fc.constantFrom("", " ") },
      { weight: 4, arbitrary: oneOf(fc, SAMPLE_TEXTS) },
    )
    .map(sized);
  if (usual === undefined) return odd;
  if (schema["format"] !== undefined) return fc.constantFrom(...usual);
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...usual).map(sized) },
    { weight: 1, arbitrary: odd },
  );
}

function oneOf(fc: FastCheck, texts: readonly string[]): fastCheck.Arbitrary<string> {
  return fc.nat({ max: texts.length - 1 }).map((index) => texts[index]!);
}

/** Returns usual texts if fast-check cannot read the pattern. */
function fitting(fc: FastCheck, pattern: string, name: string): fastCheck.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern), { size: "small" });
  } catch {
    return fc.constantFrom(...(getSampleTexts(name, undefined) ?? SAMPLE_TEXTS));
  }
}

function number(fc: FastCheck, schema: ArgumentSchema, isInteger: boolean): fastCheck.Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
    string,
    number | undefined
  >;
  const step = multipleOf ?? (isInteger ? 1 : 0);
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + (step || 1e-6));
  const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - (step || 1e-6));
  const bounded = (each: number) => {
    const value = Math.min(Math.max(each, least ?? each), most ?? each);
    const rounded = step === 0 ? value : Math.round(value / step) * step;
    return Number.isFinite(rounded) ? rounded : value;
  };
  const edges = [least, most].filter((each) => each !== undefined);
  const known = fc.constantFrom(...NUMBERS, ...edges).map(bounded);
  if (least === undefined || most === undefined || least > most) return known;
  return fc.oneof(known, fc.double({ min: least, max: most, noNaN: true }).map(bounded));
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function guess(schema: ArgumentSchema): string | undefined {
  if ("properties" in schema) return "object";
  return "items" in schema ? "array" : undefined;
}

function merge(one: ArgumentSchema, other: ArgumentSchema): ArgumentSchema {
  const merged = Object.fromEntries(
    Object.entries({ ...one, ...other }).filter(([, part]) => part !== undefined),
  );
  const properties = { ...(one["properties"] as object), ...(other["properties"] as object) };
  const required = [one, other].flatMap((each) => (each["required"] as string[] | undefined) ?? []);
  return {
    ...merged,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function findById(schema: unknown, id: string): unknown {
  if (typeof schema !== "object" || schema === null) return undefined;
  if ((schema as ArgumentSchema)["$id"] === id) return schema;
  for (const part of Object.values(schema)) {
    const found = findById(part, id);
    if (found !== undefined) return found;
  }
  return undefined;
}
