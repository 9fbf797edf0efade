import { isPlainObject, type JsonObject } from "../../parameters/schema/json-schema.ts";

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

export function freezeDeep<T>(value: T, depth = 0): T {
  if (depth > MAX_DEPTH || (!Array.isArray(value) && !isPlainObject(value))) return value;
  for (const inner of Object.values(value)) freezeDeep(inner, depth + 1);
  return Object.freeze(value);
}
