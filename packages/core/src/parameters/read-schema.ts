import { getErrorMessage } from "../contract/errors.ts";
import { copyJson, NotJsonError } from "./copy-json.ts";
import { isPlainObject, type JsonObject } from "./schema/json-schema.ts";
import { readJsonSchema, type Standard, readStandardSchema } from "./standard/standard-schema.ts";

export interface SchemaSnapshot {
  readonly schema: JsonObject;
  readonly validate: Standard["validate"];
}

const LIMITS = { characters: 1_000_000, depth: 200, undefinedIsAbsent: true };

const METHODS = ["parse", "safeParse", "validate", "validateSync"];

const known = new WeakMap<object, SchemaSnapshot>();
const owned = new WeakMap<object, SchemaSnapshot>();

/** Reads a foreign JSON Schema or Standard Schema once; never throws. @param name Subject of the problem: `parameters`. */
export function readSchema(given: unknown, name: string): SchemaSnapshot | { problem: string } {
  try {
    if (given === null || (typeof given !== "object" && typeof given !== "function"))
      return { problem: `${name} is ${given === null ? "null" : `a ${typeof given}`}, not a schema` };
    const standard = readStandardSchema(given);
    if (standard === undefined) return copyOfJson(given, given, name, undefined);
    const before = known.get(given);
    if (before !== undefined) return before;
    const converted = readJsonSchema(given, standard);
    return "problem" in converted
      ? { problem: `${name} ${converted.problem}` }
      : copyOfJson(given, converted.schema, name, standard.validate);
  } catch (thrown) {
    return { problem: `${name} cannot be read: ${getErrorMessage(thrown)}` };
  }
}

export function findSchemaSnapshot(schema: object): SchemaSnapshot | undefined {
  return owned.get(schema);
}

function copyOfJson(
  source: object,
  schema: unknown,
  name: string,
  validate: SchemaSnapshot["validate"],
): SchemaSnapshot | { problem: string } {
  const mistake = mistakeIn(schema, name);
  if (mistake !== undefined) return { problem: mistake };
  const before = known.get(source);
  if (before !== undefined && isCopyOf(before.schema, schema)) return before;
  try {
    const copy = copyJson(schema, LIMITS).value as JsonObject;
    if (source !== schema) delete copy["$schema"];
    const snapshot = { schema: copy, validate };
    known.set(source, snapshot);
    owned.set(copy, snapshot);
    return snapshot;
  } catch (thrown) {
    if (!(thrown instanceof NotJsonError)) throw thrown;
    const { path, what } = thrown;
    return {
      problem: `${[name, path].filter(Boolean).join(".")} is ${what}, which JSON Schema does not have`,
    };
  }
}

function mistakeIn(schema: unknown, name: string): string | undefined {
  if (!isPlainObject(schema)) return `${name} is not a plain object and so not a JSON Schema`;
  const nested = Object.entries(isPlainObject(schema["properties"]) ? schema["properties"] : schema).find(
    ([, value]) => readStandardSchema(value) !== undefined,
  );
  if (nested !== undefined)
    return `${name} has a schema of ${readStandardSchema(nested[1])!.vendor} for ${JSON.stringify(nested[0])}; use one schema for the whole object`;
  if (METHODS.some((method) => typeof schema[method] === "function"))
    return `${name} is a schema of another library that is not a Standard Schema; use JSON Schema, such as Type.Object({…}) of @haft/plugin-sdk`;
  const union = ["anyOf", "oneOf", "allOf"].find((key) => schema[key] !== undefined);
  if (schema["type"] === "object") return undefined;
  return schema["type"] === undefined && union !== undefined
    ? `${name} is a union (${union}) at its top, where models need one object: put it into a property`
    : `${name} must be an object schema (Type.Object({…}))`;
}

/** Compares without a copy, for speed. Ends even for an infinite source. */
function isCopyOf(copy: unknown, source: unknown): boolean {
  if (typeof copy !== "object" || copy === null) return Object.is(copy, source);
  if (Array.isArray(copy))
    return (
      Array.isArray(source) &&
      source.length === copy.length &&
      copy.every((item, index) => isCopyOf(item, source[index]))
    );
  if (!isPlainObject(source)) return false;
  let count = 0;
  for (const key in source) {
    const member = source[key];
    if (member === undefined) continue;
    if (!Object.hasOwn(copy, key) || !isCopyOf((copy as JsonObject)[key], member)) return false;
    count++;
  }
  return count === Object.keys(copy).length;
}
