import { isPlainObject, type JsonObject } from "./json-schema.ts";

export interface SubSchema {
  schema: unknown;
  /** Where, from the node that has it: `["properties", "path"]`. */
  at: readonly (string | number)[];
  /** It describes the same value as the node that has it, and not a part of it. */
  inPlace: boolean;
}

const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const SINGLE = [
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
];
const IN_PLACE = new Set(["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"]);

/** The schemas a node is made of, by the keywords that hold some: what stands in `enum` or `default` is data. */
export function subSchemas(node: JsonObject): SubSchema[] {
  const found: SubSchema[] = [];
  const add = (keyword: string, schema: unknown, ...rest: (string | number)[]) =>
    found.push({ schema, at: [keyword, ...rest], inPlace: IN_PLACE.has(keyword) });
  for (const keyword of MAPS) {
    const map = node[keyword];
    if (isPlainObject(map)) for (const name of Object.keys(map)) add(keyword, map[name], name);
  }
  for (const keyword of LISTS) {
    const list = node[keyword];
    if (Array.isArray(list)) for (const [index, schema] of list.entries()) add(keyword, schema, index);
  }
  for (const keyword of SINGLE) if (isPlainObject(node[keyword])) add(keyword, node[keyword]);
  return found;
}
