import { isObject } from "@haft/utils";
import { appendDescription, forEachNode, hasType, type Schema } from "./provider-schema.ts";

/** Assertions that OpenAI's strict mode lacks and that can be omitted. */
const LEFT_OUT =
  `dependencies dependentRequired dependentSchemas if then else not contains minContains maxContains contentEncoding
  contentMediaType contentSchema minProperties maxProperties propertyNames unevaluatedItems unevaluatedProperties uniqueItems
  title examples $comment $id $schema $anchor deprecated readOnly writeOnly`.split(/\s+/);

/** Keywords that define a form and that strict mode lacks. */
const IMPOSSIBLE = ["allOf", "patternProperties", "prefixItems"];

const FORMATS: ReadonlySet<unknown> = new Set(
  "date date-time duration email hostname ipv4 ipv6 time uuid".split(" "),
);

/** Limits of one schema. */
const MAX_COUNTS = {
  depth: 10,
  properties: 5_000,
  enumValues: 1_000,
  characters: 120_000,
  largeEnum: 15_000,
};
/** From so many values on, the texts of an enum count. */
const LARGE_ENUM = 250;

/**
 * Closes every object and requires every parameter, with null for optional parameters, which the kernel treats as absent.
 *
 * @param schema result of {@link toProviderSchema}; it is not changed
 * @returns or the reason against it, as the end of a sentence that the tool's name begins
 */
export function strictSchema(schema: Schema): { schema: Schema } | { problem: string } {
  const strict = structuredClone(schema);
  const problems: string[] = [];
  forEachNode(strict, (node, path) => {
    const where = path === "" ? "its parameters" : path;
    plainer(node);
    const problem = problemOf(node, where);
    if (problem !== undefined) problems.push(problem);
    else if (hasType(node, "object") || node["properties"] !== undefined)
      closeObject(node, isObject(node["properties"]) ? node["properties"] : (node["properties"] = {}));
  });
  const [problem = tooMuch(strict)] = problems;
  return problem === undefined ? { schema: strict } : { problem };
}

/** Uses only keywords of strict mode. */
function plainer(node: Schema): void {
  // No keyword may accompany a reference.
  if (node["$ref"] !== undefined)
    for (const key of Object.keys(node)) if (!key.startsWith("$")) delete node[key];
  for (const keyword of LEFT_OUT) delete node[keyword];
  if (node["default"] !== undefined) {
    const value = JSON.stringify(node["default"]);
    delete node["default"];
    if (value.length <= 100 && node["$ref"] === undefined) appendDescription(node, `Default: ${value}.`);
  }
  if (node["format"] !== undefined && !FORMATS.has(node["format"])) delete node["format"];
  if (Array.isArray(node["oneOf"])) {
    const { oneOf, anyOf } = node;
    delete node["oneOf"];
    // With both, one suffices, because the model may receive less.
    node["anyOf"] = anyOf ?? oneOf;
  }
  if (node["const"] !== undefined && node["type"] === undefined) node["type"] = typeOf(node["const"]);
  if (Array.isArray(node["enum"]) && node["type"] === undefined) {
    const types = [...new Set((node["enum"] as unknown[]).map(typeOf))];
    node["type"] = types.length === 1 ? types[0] : types;
  }
}

function problemOf(node: Schema, where: string): string | undefined {
  const impossible = IMPOSSIBLE.find((keyword) => node[keyword] !== undefined);
  if (impossible !== undefined) return `has ${impossible} (${where})`;
  const { type, properties, additionalProperties, items } = node;
  if (additionalProperties !== undefined && additionalProperties !== false)
    return `takes parameters of any name (${where})`;
  if (hasType(node, "object") && !isObject(properties) && additionalProperties !== false)
    return `takes parameters of any name (${where})`;
  if (Array.isArray(items)) return `has a list with a schema for each position (${where})`;
  if (hasType(node, "array") && !isObject(items)) return `has a list of anything (${where})`;
  const isSaid = type !== undefined || node["$ref"] !== undefined || Array.isArray(node["anyOf"]);
  return isSaid ? undefined : `takes any value (${where})`;
}

function closeObject(node: Schema, properties: Schema): void {
  node["additionalProperties"] = false;
  const required: readonly unknown[] = Array.isArray(node["required"]) ? node["required"] : [];
  for (const [name, property] of Object.entries(properties))
    if (!required.includes(name) && isObject(property)) properties[name] = orNull(property);
  node["required"] = Object.keys(properties);
}

function orNull(property: Schema): Schema {
  const { description } = property;
  plainer(property);
  const { type, anyOf, enum: values } = property;
  if (property["$ref"] !== undefined || property["const"] !== undefined) {
    delete property["description"];
    const either = { anyOf: [property, { type: "null" }] };
    return description === undefined ? either : { description, ...either };
  }
  if (type !== undefined) property["type"] = [...new Set([type, "null"].flat())];
  if (Array.isArray(anyOf)) property["anyOf"] = [...(anyOf as unknown[]), { type: "null" }];
  if (Array.isArray(values)) property["enum"] = [...new Set([...(values as unknown[]), null])];
  return property;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function tooMuch(schema: Schema): string | undefined {
  const counted = { properties: 0, enumValues: 0, characters: 0, largeEnum: 0 };
  forEachNode(schema, (node) => {
    const names = isObject(node["properties"]) ? Object.keys(node["properties"]) : [];
    const values: readonly unknown[] = Array.isArray(node["enum"]) ? node["enum"] : [];
    const texts = [...values, node["const"]].filter((value) => typeof value === "string").join("").length;
    counted.properties += names.length;
    counted.enumValues += values.length;
    counted.characters += names.join("").length + texts;
    if (values.length > LARGE_ENUM) counted.largeEnum = Math.max(counted.largeEnum, texts);
  });
  if (counted.properties > MAX_COUNTS.properties) return `has ${counted.properties} parameters`;
  if (counted.enumValues > MAX_COUNTS.enumValues) return `has ${counted.enumValues} values in enums`;
  if (counted.largeEnum > MAX_COUNTS.largeEnum) return "has an enum with very many texts";
  if (counted.characters > MAX_COUNTS.characters) return "has names and texts of too many characters";
  const depth = depthOf(schema);
  return depth > MAX_COUNTS.depth ? `has ${depth} objects one inside the other` : undefined;
}

function depthOf(schema: Schema): number {
  const inner = [schema["properties"], schema["$defs"], schema["definitions"]].flatMap((map) =>
    isObject(map) ? Object.values(map) : [],
  );
  const others = [schema["items"], schema["anyOf"], schema["allOf"]].flat();
  const deepest = Math.max(0, ...[...inner, ...others].filter(isObject).map(depthOf));
  return deepest + (isObject(schema["properties"]) ? 1 : 0);
}
