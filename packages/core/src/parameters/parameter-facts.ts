import type { ParameterFacts } from "../contract/policy-port.ts";
import type { ParameterizedTool } from "./compiled-spec.ts";
import {
  listBranches,
  isPlainObject,
  type JsonSchema,
  collectKnownNames,
  SchemaReferences,
} from "./schema/json-schema.ts";

const MAX_DEPTH = 4;
const MAX_PARAMETERS = 500;

/** Describes arguments for policy. `undefined` for an unreadable schema. */
export function parameterFacts(tool: Omit<ParameterizedTool, "name">): readonly ParameterFacts[] | undefined {
  const { parameters, aliases = {} } = tool;
  const references = new SchemaReferences(parameters);
  const facts: ParameterFacts[] = [];
  const visit = (schemas: readonly unknown[], prefix: string, depth: number): void => {
    const { names, patterns, open } = collectKnownNames({ allOf: schemas }, references);
    if (open || patterns.length > 0 || depth >= MAX_DEPTH) facts.push({ name: `${prefix}*` });
    if (depth >= MAX_DEPTH) return;
    for (const key of names) {
      if (facts.length >= MAX_PARAMETERS) return;
      const nodes = unique(schemas.flatMap((schema) => propertiesOf(schema, key, references)));
      const name = `${prefix}${key}`;
      const values = valuesOf(nodes, references);
      const spellings = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
      const leaves = unique(nodes.flatMap((node) => leavesOf(node, references)));
      facts.push({
        name,
        ...(spellings && { aliases: spellings }),
        ...(leaves.length > 0 && leaves.every((leaf) => isCompound(leaf, references)) && { compound: true }),
        ...(values && { values }),
      });
      const inner = leaves.filter(canBeObject);
      if (inner.length > 0) visit(inner, `${name}.`, depth + 1);
    }
  };
  try {
    visit([parameters], "", 0);
  } catch {
    return undefined;
  }
  return facts.length >= MAX_PARAMETERS ? [...facts, { name: "*" }] : facts;
}

function unique<T>(nodes: readonly T[]): T[] {
  return [...new Set(nodes)];
}

function propertiesOf(schema: unknown, key: string, references: SchemaReferences): unknown[] {
  return nodesOf(schema, references).flatMap(({ properties }) =>
    isPlainObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [],
  );
}

function nodesOf(schema: unknown, references: SchemaReferences, seen = new Set<unknown>()): JsonSchema[] {
  if (!isPlainObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  references.countVisit();
  const { $ref } = schema as JsonSchema;
  const others = [...($ref === undefined ? [] : [references.resolve($ref)]), ...listBranches(schema)];
  return [schema, ...others.flatMap((other) => nodesOf(other, references, seen))];
}

function leavesOf(schema: unknown, references: SchemaReferences): JsonSchema[] {
  const nodes = nodesOf(schema, references);
  const leaves = nodes.filter((node) => node.$ref === undefined && listBranches(node).length === 0);
  return nodes.length > 0 ? leaves : [{}];
}

function canBeObject({ type, enum: listed, const: only }: JsonSchema): boolean {
  if (listed !== undefined || only !== undefined) return false;
  return type === undefined || (Array.isArray(type) ? type.includes("object") : type === "object");
}

function isCompound({ type, items }: JsonSchema, references: SchemaReferences): boolean {
  if (type === "object") return true;
  if (type !== "array" || !isPlainObject(items)) return false;
  const leaves = leavesOf(items, references);
  return leaves.length > 0 && leaves.every((leaf) => leaf.type === "object");
}

function valuesOf(
  nodes: readonly unknown[],
  references: SchemaReferences,
  isItem = false,
): readonly string[] | undefined {
  const all = nodesOf(nodes[0], references);
  const combined = nodes.length > 1 || all.some((node) => node.allOf !== undefined || node.if !== undefined);
  if (combined || all.length === 0) return undefined;
  const values = leavesOf(nodes[0], references).map((leaf) =>
    leaf.type === "array" && !isItem ? valuesOf([leaf.items], references, true) : listedIn(leaf),
  );
  return values.every((each) => each !== undefined) ? [...new Set(values.flat())] : undefined;
}

function listedIn({ type, enum: listed, const: only }: JsonSchema): readonly string[] | undefined {
  if (only !== undefined) return texts([only]);
  if (Array.isArray(listed)) return texts(listed as unknown[]);
  if (type === "boolean") return ["true", "false"];
  return type === "null" ? [] : undefined;
}

function texts(values: readonly unknown[]): string[] | undefined {
  if (values.some((value) => typeof value === "object" && value !== null)) return undefined;
  return values.filter((value) => value !== null).map(String);
}
