import { subSchemas } from "@haft/core/internal";
import { isObject } from "@haft/utils";
import { LARGE_ENUM, type LimitRule } from "./limits.ts";

export interface SchemaNode {
  schema: Readonly<Record<string, unknown>>;
  /** In the syntax of JavaScript: `properties.edits.items`. Empty at the top. */
  path: string;
  /** Counts surrounding schemas with `properties`, and itself if it has some. */
  depth: number;
  /** Its reference leads to itself, or to a schema that contains it. */
  isRecursive: boolean;
}

/** Returns the root first. A referenced schema is visited at its own place. */
export function listSchemaNodes(root: Record<string, unknown>): SchemaNode[] {
  const nodes: SchemaNode[] = [];
  const targets = new Map<unknown, Record<string, unknown>>();
  const visit = (schema: unknown, path: string, pointer: string, above: number): void => {
    if (!isObject(schema)) return;
    const depth = above + (isObject(schema["properties"]) ? 1 : 0);
    nodes.push({ schema, path, depth, isRecursive: false });
    targets.set(pointer, schema).set(schema["$id"], schema);
    for (const { schema: child, at } of subSchemas(schema)) {
      const parts = at.map((part) => String(part).replaceAll("~", "~0").replaceAll("/", "~1"));
      visit(child, appendPath(path, at), [pointer, ...parts].join("/"), depth);
    }
  };
  visit(root, "", "#", 0);
  const recursive = referencesBack(root, targets);
  return nodes.map((node) => ({ ...node, isRecursive: recursive.has(node.schema) }));
}

/** Returns nodes whose `$ref` leads back to a surrounding node: one for each circle. */
function referencesBack(
  root: Record<string, unknown>,
  targets: ReadonlyMap<unknown, Record<string, unknown>>,
): Set<unknown> {
  const found = new Set<unknown>();
  const state = new Map<unknown, "open" | "done">();
  const look = (schema: unknown): void => {
    if (!isObject(schema) || state.has(schema)) return;
    state.set(schema, "open");
    const target = schema["$ref"] === undefined ? undefined : targets.get(schema["$ref"]);
    if (state.get(target) === "open") found.add(schema);
    else look(target);
    for (const { schema: child } of subSchemas(schema)) look(child);
    state.set(schema, "done");
  };
  look(root);
  return found;
}

export function appendPath(path: string, at: readonly (string | number)[]): string {
  let whole = path;
  for (const segment of at) {
    if (typeof segment === "number") whole += `[${segment}]`;
    else if (/^[\w$-]+$/.test(segment)) whole += whole === "" ? segment : `.${segment}`;
    else whole += `[${JSON.stringify(segment)}]`;
  }
  return whole;
}

/** Returns each limited quantity. `path`: the place of the largest, for some quantities. */
export function measure(
  nodes: readonly SchemaNode[],
  description: string | undefined,
): Record<LimitRule["of"], { count: number; path: string }> {
  const found = {
    depth: { count: 0, path: "" },
    description: { count: description?.length ?? 0, path: "" },
    enumValues: { count: 0, path: "" },
    largeEnum: { count: 0, path: "" },
    optional: { count: 0, path: "" },
    properties: { count: 0, path: "" },
    texts: { count: 0, path: "" },
    unions: { count: 0, path: "" },
  };
  const most = (of: "depth" | "largeEnum", count: number, path: string) => {
    if (count > found[of].count) found[of] = { count, path };
  };
  for (const { schema, path, depth } of nodes) {
    const names = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
    const values = Array.isArray(schema["enum"]) ? schema["enum"] : [];
    const texts = [...values, schema["const"]].filter((value) => typeof value === "string");
    const characters = texts.join("").length;
    most("depth", depth, path);
    if (values.length > LARGE_ENUM) most("largeEnum", characters, path);
    found.enumValues.count += values.length;
    found.properties.count += names.length;
    found.texts.count += names.join("").length + characters;
    found.optional.count += names.length - getRequired(schema).filter((name) => names.includes(name)).length;
    if (schema["anyOf"] !== undefined || Array.isArray(schema["type"])) found.unions.count++;
  }
  return found;
}

export function getRequired(schema: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
}
