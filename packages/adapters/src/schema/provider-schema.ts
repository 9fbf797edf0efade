import { subSchemas } from "@haft/core/internal";
import { isObject } from "@haft/utils";

/** JSON Schema for models. */
export type Schema = Record<string, unknown>;

/** A schema for a provider, and its differences from the tool's. */
export interface ProviderSchema {
  schema: Schema & { type: "object" };
  /** Each ends a sentence that begins with "The schema". Empty without differences. */
  changes: string[];
}

const COMBINATORS = ["allOf", "anyOf", "oneOf"] as const;

/**
 * Removes keywords that providers refuse at the top: combinators become one object with the properties of all, and a sentence in its
 * description. The result accepts at least the same; the tool's schema validates arguments.
 *
 * @param more other keywords that are invalid at the top
 */
export function toProviderSchema(parameters: Schema, more: readonly string[] = []): ProviderSchema {
  const schema = structuredClone(parameters);
  const changes: string[] = [];
  resolveTop(schema);
  for (const keyword of COMBINATORS) {
    const branches = schema[keyword];
    delete schema[keyword];
    if (!Array.isArray(branches)) continue;
    changes.push(`has ${keyword} at its top, which becomes one object`);
    mergeBranches(
      schema,
      branches.filter(isObject).map((branch) => resolved(schema, branch)),
      keyword,
    );
  }
  for (const keyword of more) {
    if (schema[keyword] === undefined) continue;
    delete schema[keyword];
    changes.push(`has ${keyword} at its top, which is left out`);
  }
  return { schema: { ...schema, type: "object" }, changes };
}

/** Visits a schema and its subschemas for changes in place. */
export function forEachNode(schema: Schema, visit: (node: Schema, path: string) => void, path = ""): void {
  visit(schema, path);
  for (const { schema: child, at } of subSchemas(schema)) {
    const name = at.filter((part) => part !== "properties").join(".");
    if (isObject(child)) forEachNode(child, visit, path === "" ? name : `${path}.${name}`);
  }
}

export function addMissingItems(schema: Schema): void {
  forEachNode(schema, (node) => {
    if (hasType(node, "array") && node["items"] === undefined && node["prefixItems"] === undefined)
      node["items"] = {};
  });
}

export function hasType({ type }: Schema, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

export function appendDescription(schema: Schema, sentence: string): void {
  const { description } = schema;
  schema["description"] =
    typeof description === "string" && description !== "" ? `${description} ${sentence}` : sentence;
}

function resolveTop(schema: Schema): void {
  if (schema["$ref"] === undefined) return;
  const target = resolved(schema, { $ref: schema["$ref"] });
  delete schema["$ref"];
  for (const [key, value] of Object.entries(target)) schema[key] ??= value;
}

/** Limits chains of references. */
const MAX_REFERENCES = 16;

function resolved(root: Schema, given: Schema): Schema {
  let node = given;
  for (let count = 0; typeof node["$ref"] === "string" && count < MAX_REFERENCES; count++) {
    const { $ref, ...beside } = node as { $ref: string };
    const target: unknown = targetOf(root, $ref);
    node = { ...(isObject(target) ? structuredClone(target) : {}), ...beside };
  }
  const { $ref: _, ...rest } = node;
  return rest;
}

/** Resolves a pointer within a document (`#/$defs/a`). */
function targetOf(root: Schema, reference: string): unknown {
  if (reference === "#") return {};
  if (!reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = unescaped(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) || Array.isArray(found) ? (found as Schema)[key] : undefined;
  }
  return found;
}

/** A `%` that encodes nothing stays unchanged. */
function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function mergeBranches(
  schema: Schema,
  given: readonly Schema[],
  keyword: (typeof COMBINATORS)[number],
): void {
  const branches = given.map((branch) => flattened(schema, branch));
  const own = isObject(schema["properties"]) ? schema["properties"] : {};
  const variants = new Map<string, unknown[]>(Object.entries(own).map(([name, one]) => [name, [one]]));
  for (const branch of branches)
    for (const [name, one] of Object.entries(isObject(branch["properties"]) ? branch["properties"] : {})) {
      const others = variants.get(name) ?? [];
      if (!others.some((other) => JSON.stringify(other) === JSON.stringify(one))) others.push(one);
      variants.set(name, others);
    }
  schema["properties"] = Object.fromEntries(
    [...variants].map(([name, all]) => [name, all.length === 1 ? all[0] : { anyOf: all }]),
  );
  const lists = branches.map(namesIn);
  const shared =
    keyword === "allOf"
      ? lists.flat()
      : (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
  const required = [...new Set([...namesIn(schema), ...shared])];
  if (required.length > 0) schema["required"] = required;
  // A closed branch would refuse the parameters of the others.
  if (branches.some((branch) => branch["additionalProperties"] !== undefined))
    schema["additionalProperties"] ??= !branches.every((branch) => branch["additionalProperties"] === false);
  const sets = [...new Set(lists.map((list) => list.join(" and ")).filter(Boolean))];
  if (keyword !== "allOf" && sets.length > 1)
    appendDescription(
      schema,
      `Give ${keyword === "oneOf" ? "exactly one" : "one"} of these: ${sets.join("; ")}.`,
    );
}

/** Merges the combinators within a branch. */
function flattened(root: Schema, branch: Schema, depth = 0): Schema {
  const plain = { ...branch };
  if (depth > MAX_REFERENCES) return plain;
  for (const keyword of COMBINATORS) {
    const inner = plain[keyword];
    delete plain[keyword];
    if (Array.isArray(inner))
      mergeBranches(
        plain,
        inner.filter(isObject).map((one) => flattened(root, resolved(root, one), depth + 1)),
        keyword,
      );
  }
  return plain;
}

function namesIn({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
