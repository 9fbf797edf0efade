import { isPlainObject, type JsonObject, MAX_SCHEMA_DEPTH, SchemaReferences } from "./schema/json-schema.ts";

const MAPS = ["properties", "$defs", "definitions"];
const SINGLE = ["items", "additionalProperties"];

const known = new WeakMap<object, JsonObject>();

/** Returns the schema in which a property with a default is optional. Returns the same object if nothing changes. */
export function toSchemaWithOptionalDefaults<Schema extends object>(schema: Schema): Schema {
  if (!isPlainObject(schema)) return schema;
  let relaxed = known.get(schema);
  if (relaxed === undefined) {
    const references = new SchemaReferences(schema);
    relaxed = relax(schema, references, 0) as JsonObject;
    known.set(schema, relaxed);
  }
  return relaxed as Schema;
}

function relax(schema: unknown, references: SchemaReferences, depth: number): unknown {
  if (!isPlainObject(schema) || depth > MAX_SCHEMA_DEPTH) return schema;
  const changed: JsonObject = {};
  const { properties, required } = schema;
  if (isPlainObject(properties) && Array.isArray(required)) {
    const needed = required.filter(
      (name) => typeof name !== "string" || !hasDefault(properties, name, references),
    );
    if (needed.length < required.length) changed["required"] = needed;
  }
  for (const key of MAPS) {
    const map = schema[key];
    if (!isPlainObject(map)) continue;
    const entries = Object.entries(map).map(
      ([name, one]) => [name, relax(one, references, depth + 1)] as const,
    );
    if (entries.some(([name, one]) => one !== map[name])) changed[key] = Object.fromEntries(entries);
  }
  for (const key of SINGLE) {
    const inner = relax(schema[key], references, depth + 1);
    if (inner !== schema[key]) changed[key] = inner;
  }
  return Object.keys(changed).length === 0 ? schema : { ...schema, ...changed };
}

function hasDefault(properties: JsonObject, name: string, references: SchemaReferences): boolean {
  if (!Object.hasOwn(properties, name)) return false;
  const property = properties[name];
  return isPlainObject(property) && resolved(property, references)["default"] !== undefined;
}

/**
 * Copies a value with defaults.
 *
 * @param options `isJson` states that the value does not contain itself; then it may be nested deeper than a schema.
 *   `onlyRequired` fills in required properties only.
 * @throws Error for a value that contains itself
 */
export function applyDefaults(
  schema: unknown,
  value: unknown,
  { isJson = false, onlyRequired = false } = {},
): unknown {
  const references = new SchemaReferences(schema);
  const fill = (node: unknown, part: unknown, depth: number): unknown => {
    if (depth > MAX_SCHEMA_DEPTH && isJson) return part;
    if (depth > MAX_SCHEMA_DEPTH) throw new Error(`it is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
    const schemaOfPart = isPlainObject(node) ? resolved(node, references) : {};
    const given = part === undefined ? structuredClone(schemaOfPart["default"]) : part;
    if (Array.isArray(given)) return given.map((one) => fill(schemaOfPart["items"], one, depth + 1));
    if (!isPlainObject(given)) return given;
    const properties = isPlainObject(schemaOfPart["properties"]) ? schemaOfPart["properties"] : {};
    const hasPatterns = schemaOfPart["patternProperties"] !== undefined;
    const others = hasPatterns ? undefined : schemaOfPart["additionalProperties"];
    const required: unknown = schemaOfPart["required"];
    const filled: JsonObject = {};
    // Reads each member once, so that the plugin gets the validated value.
    for (const [key, one] of Object.entries(given)) {
      const child = Object.hasOwn(properties, key) ? properties[key] : others;
      define(filled, key, fill(child, one, depth + 1));
    }
    for (const [key, child] of Object.entries(properties)) {
      if (filled[key] !== undefined) continue;
      if (onlyRequired && !(Array.isArray(required) && required.includes(key))) continue;
      const byDefault = fill(child, undefined, depth + 1);
      if (byDefault !== undefined) define(filled, key, byDefault);
    }
    return filled;
  };
  return fill(schema, value, 0);
}

/**
 * Removes the innermost default at `path`. Returns whether one was removed.
 *
 * @param filled A copy of `given` with defaults. It is changed.
 */
export function removeDefaultAt(
  filled: unknown,
  given: unknown,
  path: readonly (string | number)[],
): boolean {
  const [key, ...rest] = path;
  if (key === undefined || !isContainer(filled) || !Object.hasOwn(filled, key)) return false;
  const isGiven = isContainer(given) && Object.hasOwn(given, key);
  if (removeDefaultAt(filled[key], isGiven ? given[key] : undefined, rest)) return true;
  return !isGiven && delete filled[key];
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return Array.isArray(value) || isPlainObject(value);
}

function resolved(node: JsonObject, references: SchemaReferences): JsonObject {
  if (typeof node["$ref"] !== "string") return node;
  const target = references.resolve(node["$ref"]);
  return isPlainObject(target) ? { ...target, ...node } : node;
}

function define(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
