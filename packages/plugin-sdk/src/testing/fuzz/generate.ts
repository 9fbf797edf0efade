import { checkValue } from "@haft/core/internal";
import { fromPattern } from "./from-pattern.ts";
import type { Random } from "./random.ts";
import { textFor } from "./texts.ts";

/** A part of a JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** Inner parts beyond this depth are left out where they may be. */
const DEPTH = 5;
const TRIES = 30;
const NUMBERS = [0, 1, -1, 2, 10, 0.5, -0.001, 1e9, 2 ** 31, -(2 ** 53) + 1, 2 ** 53 - 1, 1e308, 5e-324];

/**
 * A value that a schema describes, odd ones more often than not.
 *
 * @returns `undefined` where none was found that fits
 */
export function generate(schema: Schema, random: Random): { value: unknown } | undefined {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const value = new Generator(schema, random).value(schema, "", 0);
    if (fits(schema, value)) return { value };
  }
  return undefined;
}

/** Whether the kernel would let these arguments pass. */
export function fits(schema: Schema, value: unknown): boolean {
  try {
    return checkValue(schema, value, 1).length === 0;
  } catch {
    return false;
  }
}

class Generator {
  readonly #root: Schema;
  readonly #random: Random;

  constructor(root: Schema, random: Random) {
    this.#root = root;
    this.#random = random;
  }

  value(given: unknown, name: string, depth: number): unknown {
    if (given === true || given === false || typeof given !== "object" || given === null) return "anything";
    const schema = this.#resolve(given as Schema);
    const random = this.#random;
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return random.pick(schema["enum"]);
    for (const key of ["anyOf", "oneOf"]) {
      const choices = schema[key];
      if (Array.isArray(choices) && choices.length > 0) {
        const rest = { ...schema, [key]: undefined };
        return this.value(merge(rest, this.#resolve(random.pick(choices) as Schema)), name, depth);
      }
    }
    if (Array.isArray(schema["allOf"])) {
      const parts = schema["allOf"].map((part) => this.#resolve(part as Schema));
      return this.value(parts.reduce(merge, { ...schema, allOf: undefined }), name, depth);
    }
    const type = Array.isArray(schema["type"])
      ? random.pick(schema["type"])
      : (schema["type"] ?? guess(schema));
    if (type === "object") return this.#object(schema, depth);
    if (type === "array") return this.#array(schema, name, depth);
    if (type === "string") return this.#text(schema, name);
    if (type === "number" || type === "integer") return this.#number(schema, type === "integer");
    if (type === "boolean") return random.chance(0.5);
    if (type === "null") return null;
    return random.pick([null, true, 0, "", "text", [], {}]);
  }

  #resolve(schema: Schema): Schema {
    const { $ref } = schema as { $ref?: string };
    if (typeof $ref !== "string") return schema;
    const path = $ref.replace(/^#\/?/, "").split("/").filter(Boolean);
    let found: unknown = this.#root;
    for (const part of path)
      found = (found as Record<string, unknown> | undefined)?.[decodeURIComponent(part)];
    const target = found ?? findById(this.#root, $ref);
    return typeof target === "object" && target !== null ? (target as Schema) : {};
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const {
      properties = {},
      required = [],
      additionalProperties,
      patternProperties,
    } = schema as {
      properties?: Record<string, unknown>;
      required?: readonly string[];
      additionalProperties?: unknown;
      patternProperties?: Record<string, unknown>;
    };
    const made: [string, unknown][] = [];
    for (const [name, part] of Object.entries(properties)) {
      if (required.includes(name) || (depth < DEPTH && this.#random.chance(0.6)))
        made.push([name, this.value(part, name, depth + 1)]);
    }
    const more = typeof additionalProperties === "object" ? additionalProperties : undefined;
    const [[pattern, part] = [undefined, more]] = Object.entries(patternProperties ?? {});
    if (part !== undefined && depth < DEPTH) {
      for (let count = this.#random.integer(0, 3); count > 0; count--) {
        const name =
          pattern === undefined
            ? this.#random.pick(["a", "b", "toString", "x-1"])
            : fromPattern(pattern, this.#random);
        made.push([name, this.value(part, name, depth + 1)]);
      }
    }
    return Object.fromEntries(made);
  }

  #array(schema: Schema, name: string, depth: number): unknown[] {
    const {
      minItems = 0,
      maxItems = Number.POSITIVE_INFINITY,
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
    // Draft 7 has the items of a tuple where the newer ones have prefixItems.
    const first = prefixItems ?? (Array.isArray(items) ? items : []);
    const most =
      depth >= DEPTH ? minItems : Math.min(maxItems, this.#random.pick([minItems, minItems + 1, 3, 20]));
    const count = Math.max(minItems, Math.min(most, maxItems), Math.min(first.length, maxItems));
    const rest = Array.isArray(items) ? undefined : items;
    const made = Array.from({ length: count }, (_, index) =>
      this.value(first[index] ?? rest ?? {}, name, depth + 1),
    );
    if (uniqueItems !== true) return made;
    return [...new Map(made.map((each) => [JSON.stringify(each), each])).values()];
  }

  #text(schema: Schema, name: string): string {
    const { pattern } = schema;
    return typeof pattern === "string"
      ? fromPattern(pattern, this.#random)
      : textFor(name, schema, this.#random);
  }

  #number(schema: Schema, whole: boolean): number {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
      string,
      number | undefined
    >;
    const step = multipleOf ?? (whole ? 1 : 0);
    const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + (step || 1e-6));
    const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - (step || 1e-6));
    const edges = [least, most].filter((each) => each !== undefined);
    const between =
      least !== undefined && most !== undefined ? [least + (most - least) * this.#random.next()] : [];
    const number = this.#random.pick([...NUMBERS, ...edges, ...edges, ...between, ...between]);
    const bounded = Math.min(Math.max(number, least ?? number), most ?? number);
    if (step === 0) return bounded;
    const rounded = Math.round(bounded / step) * step;
    return Number.isFinite(rounded) ? rounded : bounded;
  }
}

function guess(schema: Schema): string | undefined {
  if ("properties" in schema) return "object";
  return "items" in schema ? "array" : undefined;
}

function merge(one: Schema, other: Schema): Schema {
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
  if ((schema as Schema)["$id"] === id) return schema;
  for (const part of Object.values(schema)) {
    const found = findById(part, id);
    if (found !== undefined) return found;
  }
  return undefined;
}
