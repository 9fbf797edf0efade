import { isPlainObject, type JsonObject, SchemaReferences } from "../../parameters/schema/json-schema.ts";

const MAX_DEPTH = 64;

/** Rejects unknown keys in objects with properties. Explicitly open or closed schemas stay. */
export function closeSchema(schema: unknown, depth = 0): unknown {
  if (!isPlainObject(schema) || depth > MAX_DEPTH) return schema;
  const node: JsonObject = { ...schema };
  const inner = (value: unknown) => closeSchema(value, depth + 1);
  const each = (value: unknown) => (Array.isArray(value) ? value.map(inner) : inner(value));
  if (isPlainObject(node["properties"])) node["properties"] = mapped(node["properties"], inner);
  for (const key of ["items", "prefixItems", "additionalProperties"])
    if (node[key] !== undefined) node[key] = each(node[key]);
  for (const key of ["$defs", "definitions"])
    if (isPlainObject(node[key])) node[key] = mapped(node[key], inner);
  if (node["properties"] === undefined)
    for (const key of ["anyOf", "oneOf"]) if (node[key] !== undefined) node[key] = each(node[key]);
  const isOpen = OPENING.some((key) => node[key] !== undefined);
  if (isPlainObject(node["properties"]) && !isOpen) node["additionalProperties"] = false;
  return node;
}

const OPENING = [
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "dependentSchemas",
];

function mapped(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** Copies a value with defaults. @throws Error for a value that contains itself */
export function applyDefaults(schema: unknown, value: unknown): unknown {
  const references = new SchemaReferences(schema);
  const fill = (node: unknown, part: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new Error(`it is nested deeper than ${MAX_DEPTH} levels`);
    const known = isPlainObject(node) ? resolved(node, references) : {};
    const given = part === undefined ? structuredClone(known["default"]) : part;
    if (Array.isArray(given)) return given.map((one) => fill(known["items"], one, depth + 1));
    if (!isPlainObject(given)) return given;
    const properties = isPlainObject(known["properties"]) ? known["properties"] : {};
    const filled: JsonObject = {};
    // Reads each member once, so that the plugin gets the validated value.
    for (const [key, one] of Object.entries(given)) {
      const child = Object.hasOwn(properties, key) ? properties[key] : known["additionalProperties"];
      define(filled, key, fill(child, one, depth + 1));
    }
    for (const [key, child] of Object.entries(properties)) {
      if (filled[key] !== undefined) continue;
      const byDefault = fill(child, undefined, depth + 1);
      if (byDefault !== undefined) define(filled, key, byDefault);
    }
    return filled;
  };
  return fill(schema, value, 0);
}

function resolved(node: JsonObject, references: SchemaReferences): JsonObject {
  if (typeof node["$ref"] !== "string") return node;
  const target = references.resolve(node["$ref"]);
  return isPlainObject(target) ? { ...target, ...node } : node;
}

function define(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

export function freezeDeep<T>(value: T, depth = 0): T {
  if (depth > MAX_DEPTH || (!Array.isArray(value) && !isPlainObject(value))) return value;
  for (const inner of Object.values(value)) freezeDeep(inner, depth + 1);
  return Object.freeze(value);
}
